#include "apps/server/job.hpp"

namespace tenfold::server {

nlohmann::json job::to_json(bool with_plan) const {
    const auto seconds_in = [](clock::duration span) {
        return std::chrono::duration<double>(span).count();
    };
    const clock::time_point now = has_ended() ? ended : clock::now();
    const bool has_started = started != clock::time_point();
    nlohmann::json value = {
        {"id", id()},
        {"kind", plan.kind},
        {"state", name(state)},
        {"progress", state == job_state::done ? 1.0 : done.load()},
        {"predicted_seconds", seconds},
        {"seconds_queued", seconds_in((has_started ? started : now) - submitted)},
        {"seconds_running", has_started ? seconds_in(now - started) : 0.0}};
    value.update(plan.about);
    if (with_plan && !plan.explanation.empty())
        value["plan"] = plan.explanation;
    if (submitted_time > 0)
        value["submitted"] = submitted_time;
    if (state == job_state::done)
        value["result"] = result;
    if (failure) {
        value["error"] = failure->to_json();
        value["error"]["status"] = failure->status();
    }
    return value;
}

} // namespace tenfold::server
