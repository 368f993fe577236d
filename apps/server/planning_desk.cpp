#include "apps/server/planning_desk.hpp"

#include <algorithm>
#include <ctime>

#include <nlohmann/json.hpp>

namespace tenfold::server {
namespace {

using nlohmann::json;

constexpr std::size_t most_bytes = 4 << 10;
constexpr std::size_t most_inputs = 2; ///< paths of more are searched for
/// So much of the longest plan counts after one more.
constexpr double remembered = 0.5;

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Whether the body asks for a contraction of so few tensors that no path is searched for.
bool has_few_inputs(const std::string &body) {
    if (body.size() > most_bytes)
        return false;
    const json request = json::parse(body, nullptr, false);
    const auto inputs = request.find("inputs");
    return inputs != request.end() && inputs->is_array() && inputs->size() <= most_inputs;
}

} // namespace

void planning_desk::handle(effort takes, const std::string &body, std::function<void()> task) {
    switch (takes) {
    case effort::none:
        return task();
    case effort::little_planning:
        return body.size() > most_bytes ? desk_.post(std::move(task))
                                        : desk_.run_or_post(std::move(task));
    case effort::contraction: {
        if (!has_few_inputs(body))
            return desk_.post(std::move(task));
        auto measured = [this, task = std::move(task)] { contract(task); };
        return seconds_ > most_seconds ? desk_.post(std::move(measured))
                                       : desk_.run_or_post(std::move(measured));
    }
    case effort::planning:
        return desk_.post(std::move(task));
    case effort::long_planning:
        return slow_desk_.post(std::move(task));
    }
}

void planning_desk::contract(const std::function<void()> &task) {
    const double start = processor_seconds();
    task();
    const double took = processor_seconds() - start;
    seconds_ = std::max(took, remembered * seconds_);
}

} // namespace tenfold::server
