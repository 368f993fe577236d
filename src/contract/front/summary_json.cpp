// A plan's summary as JSON.
#include <nlohmann/json.hpp>

#include <tenfold/contract.hpp>

namespace tenfold {
namespace {

using json = nlohmann::ordered_json;

json json_of(const candidate_summary &one) {
    json item = {{"algorithm", name(one.algorithm)},
                 {"seconds", nullptr},
                 {"workspace_bytes", one.workspace.value},
                 {"possible", one.possible},
                 {"description", one.description}};
    if (one.possible)
        item["seconds"] = one.seconds;
    return item;
}

json candidates_of(const plan_summary &summary) {
    json list = json::array();
    for (const candidate_summary &one : summary.candidates)
        list.push_back(json_of(one));
    return list;
}

/// The steps of a contraction of more than two inputs.
json steps_of(const plan_summary &summary) {
    json list = json::array();
    for (const step_summary &step : summary.steps)
        list.push_back({{"expression", step.expression},
                        {"operands", step.operands},
                        {"algorithm", name(step.algorithm)},
                        {"m", step.m},
                        {"n", step.n},
                        {"k", step.k},
                        {"batch", step.batch},
                        {"flops", step.flops},
                        {"seconds", step.seconds},
                        {"workspace_bytes", step.workspace.value},
                        {"result_bytes", step.result.value}});
    return list;
}

} // namespace

std::string to_json(const plan_summary &summary) {
    const json object = {
        {"algorithm", name(summary.algorithm)},
        {"m", summary.m},
        {"n", summary.n},
        {"k", summary.k},
        {"batch", summary.batch},
        {"flops", summary.flops},
        {"bytes", summary.bytes},
        {"seconds", summary.seconds},
        {"workspace_bytes", summary.workspace.value},
        {"candidates", candidates_of(summary)},
        {"threads", summary.threads},
        {"steps", steps_of(summary)},
        {"path", summary.path},
        {"flops_at_once", summary.flops_at_once},
        {"largest_intermediate_bytes", summary.largest_intermediate.value},
        {"without_limit", summary.without_limit ? json_of(*summary.without_limit) : json()}};
    // Labels may have any bytes, which descriptions repeat; JSON takes UTF-8 only.
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace tenfold
