// The memory that one rank needs beside its blocks of the tensors. The plan adds it up; execution
// allocates it.
#pragma once

#include <algorithm>

#include "base/checked.hpp"
#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// Sizes in elements. A size is 0 if its step is not needed because the data already lies in place.
struct buffer_words {
    struct operand {
        index_t piece = 0;   ///< after redistribution
        index_t summed = 0;  ///< the piece summed over isolated labels
        index_t panel = 0;   ///< the part of the panel that one step multiplies, after gathering
        index_t landing = 0; ///< the next step's part, while it arrives
        index_t sent = 0;    ///< this rank's share of the next step's part, packed to be sent

        index_t gathering() const noexcept { return panel + landing + sent; }
    };
    operand a, b;
    index_t panel_d = 0;  ///< this rank's product: of one step if it is summed over pk, otherwise
                          ///< the whole panel
    index_t piece_d = 0;  ///< this rank's share of the sum over pk
    index_t partial = 0;  ///< partial sums along k that wait for others, if sums form a tree
    index_t sum_out = 0;  ///< a part of the product, packed to be sent for the sum
    index_t sum_in = 0;   ///< received for the sum
    index_t exchange = 0; ///< the largest window of a redistribution, both directions

    index_t gathering() const noexcept { return a.gathering() + b.gathering() + sum_out + sum_in; }
    /// Redistributions run before and after everything else and use the same memory.
    index_t total() const noexcept {
        index_t words = std::max(exchange, gathering());
        for (const index_t one : {a.piece, a.summed, b.piece, b.summed, panel_d, piece_d, partial})
            words = base::saturated_add(words, one);
        return words;
    }
};

/// `in_place` says which operands already lie as in `where`.
buffer_words buffers_of(const plan_state &plan, const layouts &where,
                        const std::array<bool, 3> &in_place, int rank);

/// Returns how many partial sums along k wait in the tree at the same time, at most; 0 unless
/// results are reproducible.
int partial_sums(const plan_state &plan, const layouts &where);
/// Returns the words of one partial sum.
index_t partial_sum_words(const layouts &where, int rank);

/// Bytes that ranks hold for given layouts, with any steps: blocks of the tensors, pieces, panels
/// and buffers. The workspace of local contractions is not included.
class memory_of {
public:
    memory_of(const plan_state &plan, const layouts &where);

    index_t of_rank(const layouts &where, int rank) const;
    /// Returns the maximum over all ranks.
    index_t of_all(const layouts &where) const;
    /// Returns the maximum over a sample of ranks, which is enough to compare steps: the last place
    /// of the grid has the largest parts.
    index_t of_some(const layouts &where) const;

private:
    const plan_state &plan_;
    std::array<bool, 3> in_place_{};
};

} // namespace tenfold::dist_impl
