#include "distributed/plan/planning.hpp"

#include <tenfold/error.hpp>

#include "base/footprint.hpp"
#include "base/scalars.hpp"
#include "distributed/plan/plan_state.hpp"
#include "distributed/plan/sequence_state.hpp"

namespace tenfold::dist_impl {
namespace {

using base::allocated_by;

std::size_t allocated_by_spread(const distribution &spread) noexcept {
    return allocated_by(spread.extents()) + allocated_by(spread.grid()) +
           allocated_by(spread.rank_of_cell()) + // and as many bytes for each rank's cell
           static_cast<std::size_t>(spread.ranks()) * sizeof(int) + base::allocation_overhead;
}

std::size_t allocated_by_texts(const std::vector<std::string> &texts) noexcept {
    std::size_t sum = allocated_by(texts);
    for (const std::string &one : texts)
        sum += allocated_by(one);
    return sum;
}

std::size_t allocated_by_spec(const contraction_spec &spec) noexcept {
    std::size_t sum = allocated_by(spec.inputs) + allocated_by(spec.output) +
                      allocated_by_texts(spec.label_names) +
                      allocated_by_texts(spec.operand_names) + allocated_by(spec.text);
    for (const std::vector<label_t> &labels : spec.inputs)
        sum += allocated_by(labels);
    return sum;
}

std::size_t allocated_by_problem(const labelled_problem &problem) noexcept {
    std::size_t sum = sizeof problem + base::allocation_overhead + allocated_by(problem.labels);
    for (const auto &one : problem.labels)
        sum += allocated_by(one.name);
    for (const operand_labels &one : problem.operands)
        sum += allocated_by(one.modes) + allocated_by(one.distinct);
    return sum;
}

} // namespace

scale_factors scale_factors_of(const contraction_spec &spec, data_type type,
                               const dist_options &options) {
    using update = contraction_spec::update;
    if (spec.operation != update::assign && options.beta)
        throw error(errc::invalid_argument, "'" + spec.text +
                                                "' adds to the output, and beta is "
                                                "given as well; use one of the two");
    scale_factors factors{
        base::scaled(spec.operation == update::subtract ? -spec.scale : spec.scale, options.alpha),
        options.beta.value_or(spec.operation == update::assign ? 0.0 : 1.0)};
    if (!is_complex(type) && (factors.alpha.imag() != 0 || factors.beta.imag() != 0))
        throw error(errc::invalid_argument,
                    "alpha and beta are real for tensors of " + std::string(name(type)));
    if (!base::fits(type, factors.alpha) || !base::fits(type, factors.beta))
        throw error(errc::type_mismatch, "alpha and beta of a contraction of integers are integers "
                                         "of 32 bits");
    for (scalar *const one : {&factors.alpha, &factors.beta})
        *one = base::round_to(type, *one); // a tiny alpha is 0 in f32
    return factors;
}

factor_kinds factor_kinds::of(const scale_factors &factors, bool reproducible) noexcept {
    return {factors.alpha != scalar(0), reproducible && factors.alpha == scalar(1),
            reproducible && factors.beta != scalar(0), reproducible && factors.beta == scalar(1)};
}

std::size_t footprint(const dist_plan &plan) noexcept {
    const plan_state &state = internals::of(plan);
    std::size_t sum = sizeof(internals::state_of<dist_plan>) + base::allocation_overhead +
                      allocated_by_spec(state.spec) + allocated_by_problem(*state.problem) +
                      state.where.allocated();
    for (const auto *spreads : {&state.given, &state.pieces})
        for (const distribution &one : *spreads)
            sum += allocated_by_spread(one);
    return sum;
}

std::size_t footprint(const dist_sequence &plan) noexcept {
    const sequence_state &state = internals::of(plan);
    std::size_t sum = sizeof(internals::state_of<dist_sequence>) + base::allocation_overhead +
                      allocated_by(state.text) + allocated_by(state.steps);
    for (const dist_step &step : state.steps)
        sum += allocated_by(step.expression) + allocated_by(step.operands) + footprint(step.plan) +
               allocated_by_spread(step.result);
    return sum;
}

} // namespace tenfold::dist_impl
