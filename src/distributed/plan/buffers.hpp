// The memory that one rank needs beside its blocks of the tensors. The plan adds it up; execution
// allocates it.
#pragma once

#include <algorithm>

#include "base/checked.hpp"
#include "distributed/plan/plan_state.hpp"
#include "distributed/plan/rank_survey.hpp"

namespace tenfold::dist_impl {

/// Sizes in the plan's words. A size is 0 if its step is not needed because the data already lies
/// in place.
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
    index_t exchange = 0; ///< the largest window of a redistribution, both directions; where inputs
                          ///< have copies, a bound, because other copies are read, too

    index_t gathering() const noexcept { return a.gathering() + b.gathering() + sum_out + sum_in; }
    /// Words that are held beside messages.
    index_t lasting() const noexcept {
        index_t words = 0;
        for (const index_t one : {a.piece, a.summed, b.piece, b.summed, panel_d, piece_d, partial})
            words = base::saturated_add(words, one);
        return words;
    }
    /// Redistributions run before and after everything else and use the same memory.
    index_t total() const noexcept {
        return base::saturated_add(std::max(exchange, gathering()), lasting());
    }
};

/// `in_place` says which operands already lie as in `where`.
buffer_words buffers_of(const plan_state &plan, const layouts &where,
                        const std::array<bool, 3> &in_place, int rank);

/// Returns how many ranks receive each element when the operand is redistributed, at most.
index_t receivers_of(const plan_state &plan, const layouts &where, tensor_id operand) noexcept;

/// Returns how many partial sums along k wait in the tree at the same time, at most; 0 unless
/// results are reproducible.
int partial_sums(const plan_state &plan, const layouts &where);
/// Returns the elements of one partial sum.
index_t partial_sum_elements(const layouts &where, int rank);

/// The most of each operand that a rank may have in its piece before anything is redistributed.
struct may_be_kept {
    std::array<double, 3> words{};
    std::array<bool, 3> all{}; ///< the whole piece
};

/// Bytes that ranks hold for given layouts, with any steps: blocks of the tensors, pieces, panels
/// and buffers. The workspace of local contractions is not included.
class memory_of {
public:
    memory_of(const plan_state &plan, const layouts &where);
    /// As little as layouts like `where` may take: a bound for all layouts of the grid.
    static index_t least(const plan_state &plan, const layouts &where, const may_be_kept &kept);

    index_t of_rank(const layouts &where, int rank) const;
    /// Calls use(visited_rank, bytes) for all ranks.
    template <class Use> void for_each(const layouts &where, const Use &use) const {
        std::vector<kind_words> kinds;
        rank_survey(plan_, where).for_each([&](const visited_rank &one) {
            if (one.kind == kinds.size())
                kinds.push_back(words_of_kind(where, one.rank));
            use(one, of_visited(kinds[one.kind], one));
        });
    }
    /// Returns the maximum over all ranks.
    index_t of_all(const layouts &where) const;
    /// Returns the maximum over a sample of ranks, which is enough to compare steps: the last place
    /// of the grid has the largest parts.
    index_t of_some(const layouts &where) const;

private:
    memory_of(const plan_state &plan, const layouts &where, const std::array<bool, 3> &in_place);

    /// Words of all ranks of a kind.
    struct kind_words {
        index_t gathering;
        index_t lasting;
        std::array<index_t, 3> pieces; ///< elements
    };
    kind_words words_of_kind(const layouts &where, int rank) const;
    /// Of a rank's block of an operand, and of the sums that are rounded to D.
    index_t words_of_block(tensor_id operand, index_t elements) const noexcept;
    index_t of_visited(const kind_words &kind, const visited_rank &rank) const noexcept;

    const plan_state &plan_;
    std::array<bool, 3> in_place_{};
    std::array<index_t, 3> receivers_{1, 1, 1}; ///< receivers_of()
};

} // namespace tenfold::dist_impl
