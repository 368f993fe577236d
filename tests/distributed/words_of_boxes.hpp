// What a rank receives while operands move to the layouts of a plan and D moves back, from its
// boxes alone: the slow twin of redistributions.
#pragma once

#include "distributed/plan/plan_state.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::testing {

inline index_t words_of_boxes(const dist_impl::plan_state &plan,
                              const dist_impl::layouts &candidate, int rank) {
    using namespace dist_impl;
    index_t received = 0;
    for (const tensor_id operand : all_but_c) {
        if (operand == B && plan.problem->unary)
            continue;
        const slice there = region_of(plan.given[operand], plan.problem->operands[operand], rank);
        const slice here = candidate.whole_piece_of(operand, rank);
        received += ((operand == D ? there : here).size() - intersection_size(there, here)) *
                    plan.words.moved[operand];
    }
    return received;
}

} // namespace tenfold::testing
