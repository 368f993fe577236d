// run_program(), and the table of what lines took.
#include <tenfold/dist_program.hpp>

#include "base/text.hpp"
#include "base/work.hpp"
#include "program/run/execution.hpp"

namespace tenfold {

std::string program_result::describe() const {
    using base::describe, base::describe_seconds, base::format;
    std::string text = "   line  times     seconds     planned      received          peak\n";
    for (const executed_line &one : lines)
        text += format("  %5d %6lld %11s %11s %13s %13s  %s\n", one.line,
                       static_cast<long long>(one.times), describe_seconds(one.seconds).c_str(),
                       describe_seconds(one.planned).c_str(), describe(one.received).c_str(),
                       describe(one.peak).c_str(), one.text.c_str());
    return text;
}

program_result run_program(const program_plan &plan, const world &everyone,
                           const std::map<std::string, program_input> &inputs,
                           const execution_control *control) {
    const dist_impl::traced_call traced(dist_impl::communicator_of(everyone), "run program");
    return base::run_watched(control,
                             [&] { return program_impl::execution(plan, everyone, inputs).run(); });
}

} // namespace tenfold
