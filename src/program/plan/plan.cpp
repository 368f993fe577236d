// Plans of programs as values: made, told.
#include <algorithm>

#include "base/text.hpp"
#include "program/plan/plan_state.hpp"

namespace tenfold {
namespace {

void check_program_options(const program_options &options) {
    const dist_options &c = options.contraction;
    if (c.grid || c.step || c.memory_per_rank || c.epilogue != nullptr || c.control != nullptr ||
        c.beta || c.alpha != scalar(1.0) || c.conj_a || c.conj_b || c.diagonal_output)
        throw error(errc::invalid_argument,
                    "programs are planned without a grid, steps, a limit of memory, factors, "
                    "conjugation, diagonals, epilogues and controls of single contractions");
    if (options.repetitions && *options.repetitions < 1)
        throw error(errc::invalid_argument, std::to_string(*options.repetitions) +
                                                " repetitions of blocks; 1 is the least");
}

} // namespace

const program_plan_summary &program_plan::summary() const noexcept { return state_->summary; }
const std::vector<planned_line> &program_plan::lines() const noexcept { return state_->lines; }
const std::map<std::string, distribution> &program_plan::layouts() const noexcept {
    return state_->layouts;
}
const program &program_plan::planned() const noexcept { return state_->equations; }
const range_sizes &program_plan::sizes() const noexcept { return state_->sizes; }

std::string program_plan::describe() const {
    using base::describe, base::describe_seconds, base::format;
    const program_plan_summary &all = state_->summary;
    std::string text =
        format("%zu lines on %d ranks: %s, received per rank %s, peak memory per "
               "rank %s\n",
               state_->lines.size(), all.ranks, describe_seconds(all.seconds).c_str(),
               describe(all.received).c_str(), describe(all.peak).c_str());
    text += "   line  times     seconds      received          peak\n";
    for (const planned_line &line : state_->lines)
        text +=
            format("  %5d %6lld %11s %13s %13s  %s\n", line.line,
                   static_cast<long long>(line.times), describe_seconds(line.seconds).c_str(),
                   describe(line.received).c_str(), describe(line.peak).c_str(), line.text.c_str());
    for (const auto &[name, spread] : state_->layouts)
        text += "  " + name + ": " + spread.describe() + "\n";
    return text;
}

program_plan make_program_plan(const program &equations, const range_sizes &sizes, int ranks,
                               const program_options &options) {
    if (ranks < 1)
        throw error(errc::invalid_argument, std::to_string(ranks) + " ranks; 1 is the least");
    check_program_options(options);
    const internals::state_of<program> &parsed = internals::of(equations);
    program_impl::lowered all =
        program_impl::lower(parsed.text, parsed.names, sizes, options.repetitions);
    std::map<std::string, program_impl::lifetime> lifetimes =
        program_impl::lifetimes_of(all, parsed.names);
    auto made = std::make_shared<internals::state_of<program_plan>>(
        internals::state_of<program_plan>{{.equations = equations,
                                           .sizes = sizes,
                                           .ranks = ranks,
                                           .options = options,
                                           .all = std::move(all),
                                           .lifetimes = std::move(lifetimes)}});
    program_impl::check_given_layouts(*made);
    made->layouts = program_impl::choose_layouts(*made);
    program_impl::price(*made);
    return internals::from<program_plan>(std::move(made));
}

} // namespace tenfold
