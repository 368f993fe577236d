// The state that a transpose_plan shares with its copies: everything but data. And what it says of
// itself: its text, and its predicted time.
#pragma once

#include <memory>
#include <string>

#include <tenfold/transpose.hpp>

#include "base/learnt_memory.hpp"
#include "transpose/kernels/registry.hpp"
#include "transpose/plan/schedule.hpp"

namespace tenfold::transpose_impl {

struct plan_state {
    data_type type_a;
    data_type type_b;
    layout a;
    layout b;
    bool conjugate;
    data_type moved_a; ///< adjacent pairs of real numbers move as one complex number
    data_type moved_b;
    bool same_places;        ///< every element keeps its position, and its type
    reduced_problem problem; ///< of elements as they are moved
    int threads;             ///< that the plan may use
    schedule overwrites;     ///< used if beta is 0
    schedule accumulates;    ///< used if beta is not 0
    kernel_choice kernels;
    double seconds; ///< predicted, for beta = 0
    /// Bytes that a copy would move between memory and caches in that time. Executions tell the
    /// learner how long they took for it; null: the context does not learn, or this is no copy of
    /// long runs.
    double as_copied_bytes;
    bool caches_help; ///< they may hold much of the tensors
    std::shared_ptr<base::learnt_memory> learner;
    std::string tuning; ///< lines of explain() on how schedules were chosen; empty: by estimates

    /// Like transpose_plan's constructor; tests and tuning can also set the choices of the
    /// heuristics.
    plan_state(const transposed_tensors &what, const transpose_options &options,
               const schedule_options &choices);

    movement movement_of(bool reads_b) const noexcept {
        return {.type_a = moved_a, .type_b = moved_b, .accumulates = reads_b, .threads = threads};
    }
    /// Returns the schedule that other choices give. O(order^2).
    schedule scheduled(bool reads_b, const base::machine &machine,
                       const schedule_options &choices) const;

    /// Prices the schedule for beta = 0; after it has been set.
    void predict(const context &ctx) noexcept;

    status execute(scalar alpha, const void *data_a, scalar beta, void *data_b) const noexcept;

    /// Bytes of memory that it occupies, about (base/footprint.hpp).
    std::size_t footprint() const noexcept;
};

/// The line of explain() on schedules that were chosen by estimates.
constexpr const char *estimated = "tuning   estimate\n";

std::string explain(const plan_state &plan);

} // namespace tenfold::transpose_impl

struct tenfold::transpose_plan::state : transpose_impl::plan_state {
    using plan_state::plan_state;
};
