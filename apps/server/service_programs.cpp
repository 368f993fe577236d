// Requests about programs of equations.
#include "apps/server/planning_program.hpp"
#include "apps/server/request_handler.hpp"

namespace tenfold::server {

using nlohmann::json;

void request_handler::explain_program() {
    request.target.check_query({});
    const program_request asked = program_request::parse(parse_object(body));
    const pinned operands(*this, asked.inputs);
    const program_outline outline = outline_program(scene(), asked, operands.inputs);
    json lines = json::array(), outputs = json::array();
    for (const planned_line &one : outline.plan.lines())
        lines.push_back({{"line", one.line},
                         {"text", one.text},
                         {"times", one.times},
                         {"seconds", one.seconds},
                         {"bytes_received_per_rank", one.received.value},
                         {"peak_bytes_per_rank", one.peak.value}});
    for (const tensor_pointer &one : outline.outputs)
        outputs.push_back(
            {{"name", one->name}, {"extents", one->extents()}, {"bytes", one->total_bytes()}});
    const program_plan_summary &summary = outline.plan.summary();
    respond({{"seconds", summary.seconds},
             {"bytes_received_per_rank", summary.received.value},
             {"peak_bytes_per_rank", summary.peak.value},
             {"available_bytes_per_rank", outline.available.value},
             {"outputs", std::move(outputs)},
             {"lines", std::move(lines)},
             {"text", outline.plan.describe()}});
}

job_pointer request_handler::run_program() {
    const program_request asked = program_request::parse(parse_object(body));
    pinned operands(*this, asked.inputs);
    return submit(plan_program(scene(), asked, operands.inputs), &operands);
}

} // namespace tenfold::server
