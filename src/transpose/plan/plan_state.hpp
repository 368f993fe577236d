// The state that a transpose_plan shares with its copies: everything but data. And what it says of
// itself: its text, and its predicted time.
#pragma once

#include <string>

#include <tenfold/transpose.hpp>

#include "transpose/kernels/registry.hpp"
#include "transpose/plan/schedule.hpp"

namespace tenfold {

struct transpose_plan::state {
    data_type type_a;
    data_type type_b;
    layout a;
    layout b;
    bool conjugate;
    data_type moved_a; ///< adjacent pairs of real numbers move as one complex number
    data_type moved_b;
    bool same_places;                        ///< every element keeps its position, and its type
    transpose_impl::reduced_problem problem; ///< of elements as they are moved
    int threads;                             ///< that the plan may use
    transpose_impl::schedule overwrites;     ///< used if beta is 0
    transpose_impl::schedule accumulates;    ///< used if beta is not 0
    transpose_impl::kernel_choice kernels;
    double seconds;                             ///< predicted, for beta = 0
    std::string tuning = "tuning   estimate\n"; ///< lines of explain() on how schedules were chosen

    /// Like transpose_plan's constructor; tests and tuning can also set the choices of the
    /// heuristics.
    state(const transpose_impl::transposed_tensors &what, const transpose_options &options,
          const transpose_impl::schedule_options &choices);

    transpose_impl::movement movement_of(bool reads_b) const noexcept {
        return {.type_a = moved_a, .type_b = moved_b, .accumulates = reads_b, .threads = threads};
    }
    /// Returns the schedule that other choices give. O(order^2).
    transpose_impl::schedule scheduled(bool reads_b, const base::machine &machine,
                                       const transpose_impl::schedule_options &choices) const;

    status execute(scalar alpha, const void *data_a, scalar beta, void *data_b) const noexcept;
};

namespace transpose_impl {

std::string explain(const transpose_plan::state &plan);

/// Returns bytes over bandwidth, for beta = 0. If the context's rates are only typical ones, use
/// the figure to rank alternatives, not as a promise.
double predict_seconds(const schedule &plan, const context &ctx) noexcept;

} // namespace transpose_impl
} // namespace tenfold
