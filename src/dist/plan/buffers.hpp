// The memory that one rank needs beside its blocks of the tensors: the plan adds it up, execution
// allocates it.
#pragma once

#include "dist_plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// In elements; 0 where a step is not needed because the data already lies as it should.
struct buffer_words {
    struct operand {
        index_t piece = 0;  ///< as redistributed
        index_t summed = 0; ///< the piece after summing over isolated labels
        index_t panel = 0;  ///< all-gathered
    };
    operand a, b;
    index_t panel_d = 0;  ///< this rank's product
    index_t piece_d = 0;  ///< its share of the sum over pk
    index_t travel = 0;   ///< one piece on its way, packed, in or out
    index_t exchange = 0; ///< the largest of the redistributions' windows, both directions

    index_t total() const noexcept {
        return a.piece + a.summed + a.panel + b.piece + b.summed + b.panel + panel_d + piece_d +
               2 * travel + exchange;
    }
};

/// `in_place`: which operands lie as `where` wants them.
buffer_words buffers_of(const plan_state &plan, const layouts &where,
                        const std::array<bool, 3> &in_place, int rank);

} // namespace tenfold::dist_impl
