// The memory that one rank needs beside its blocks of the tensors: the plan adds it up, execution
// allocates it.
#pragma once

#include <algorithm>

#include "base/checked.hpp"
#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// In elements; 0 where a step is not needed because the data already lies as it should.
struct buffer_words {
    struct operand {
        index_t piece = 0;   ///< as redistributed
        index_t summed = 0;  ///< the piece after summing over isolated labels
        index_t panel = 0;   ///< the part of the panel that one step multiplies, all-gathered
        index_t landing = 0; ///< what arrives of the next step's part meanwhile
        index_t sent = 0;    ///< what leaves of this rank's piece for it, packed

        index_t gathering() const noexcept { return panel + landing + sent; }
    };
    operand a, b;
    index_t panel_d = 0;  ///< this rank's product: one step's if it is summed over pk, else all
    index_t piece_d = 0;  ///< its share of the sum over pk
    index_t partial = 0;  ///< sums of steps along k that wait for others, where these form a tree
    index_t sum_out = 0;  ///< what leaves of a part of the product for the sum
    index_t sum_in = 0;   ///< what arrives for it
    index_t exchange = 0; ///< the largest of the redistributions' windows, both directions

    index_t gathering() const noexcept { return a.gathering() + b.gathering() + sum_out + sum_in; }
    /// Redistributions run before and after everything else, in the same memory.
    index_t total() const noexcept {
        index_t words = std::max(exchange, gathering());
        for (const index_t one : {a.piece, a.summed, b.piece, b.summed, panel_d, piece_d, partial})
            words = base::saturated_add(words, one);
        return words;
    }
};

/// `in_place`: which operands lie as `where` wants them.
buffer_words buffers_of(const plan_state &plan, const layouts &where,
                        const std::array<bool, 3> &in_place, int rank);

/// How many sums of steps along k wait at most for the one beside them in the tree; 0 unless
/// results are reproducible.
int partial_sums(const plan_state &plan, const layouts &where);
/// What one of them takes.
index_t partial_sum_words(const layouts &where, int rank);

/// What ranks hold in some layouts, for any steps, but for the workspace of local contractions:
/// blocks of the tensors, pieces, panels and buffers. In bytes.
class memory_of {
public:
    memory_of(const plan_state &plan, const layouts &where);

    index_t of_rank(const layouts &where, int rank) const;
    /// Of the busiest one.
    index_t of_all(const layouts &where) const;
    /// Enough to compare steps: the last place of the grid has the largest parts.
    index_t of_some(const layouts &where) const;

private:
    const plan_state &plan_;
    std::array<bool, 3> in_place_{};
};

} // namespace tenfold::dist_impl
