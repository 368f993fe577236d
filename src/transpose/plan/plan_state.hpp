// What a transpose_plan shares with its copies: everything but data.
#pragma once

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
    data_type moved_a; ///< pairs of real numbers that stay together move as one complex number
    data_type moved_b;
    bool same_places;                        ///< every element keeps its position, and its type
    transpose_impl::reduced_problem problem; ///< of elements as they are moved
    int threads;                             ///< that it may use
    transpose_impl::schedule overwrites;     ///< where beta is 0
    transpose_impl::schedule accumulates;    ///< where it is not
    transpose_impl::kernel_choice kernels;
    double seconds;                             ///< predicted, beta = 0
    std::string tuning = "tuning   estimate\n"; ///< explain()'s lines on how schedules were chosen

    /// As transpose_plan's constructor, with the heuristics' choices open to tests and tuning.
    state(std::span<const int> permutation, data_type type_a, const layout &a, data_type type_b,
          const layout &b, bool conjugate, const transpose_options &options,
          const transpose_impl::schedule_options &choices);

    /// What other choices would make of it. O(order^2).
    transpose_impl::schedule scheduled(bool reads_b, const base::machine &machine,
                                       const transpose_impl::schedule_options &choices) const;

    status execute(scalar alpha, const void *data_a, scalar beta, void *data_b) const noexcept;
};

} // namespace tenfold
