// The memory that one rank needs beside its blocks of the tensors. The plan adds it up; execution
// allocates it.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "base/checked.hpp"
#include "distributed/plan/plan_state.hpp"
#include "distributed/plan/rank_survey.hpp"

namespace tenfold::dist_impl {

/// What a rank holds at its peak. It redistributes its inputs before it multiplies, and the result
/// after that, so that these use the same memory. In any unit.
struct rank_memory {
    index_t multiplying = 0; ///< without the workspace of local contractions
    index_t moving = 0;      ///< the most in a redistribution

    index_t peak(index_t workspace = 0) const noexcept {
        return std::max(base::saturated_add(multiplying, workspace), moving);
    }
};

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
    index_t panel_d = 0; ///< this rank's product: of one step if it is summed over pk, otherwise
                         ///< the whole panel
    index_t piece_d = 0; ///< this rank's share of the sum over pk; 0 if it stays in the panel
    index_t partial = 0; ///< partial sums along k that wait for others, if sums form a tree
    index_t sum_out = 0; ///< a part of the product, packed to be sent for the sum
    index_t sum_in = 0;  ///< received for the sum
    /// The largest windows of redistributions, both directions: of inputs and of the result; where
    /// inputs have copies, a bound, because other copies are read, too.
    index_t exchange_in = 0, exchange_out = 0;

    /// Inputs, until they have been multiplied.
    index_t pieces() const noexcept { return base::saturated_add(a.piece, b.piece); }
    /// Needed while products are computed.
    index_t products() const noexcept {
        return sum_of({a.summed, b.summed, a.gathering(), b.gathering(), partial, sum_out, sum_in,
                       is_summed_elsewhere() ? panel_d : 0});
    }
    /// Lasts from the products to the end.
    index_t result() const noexcept { return is_summed_elsewhere() ? piece_d : panel_d; }
    rank_memory total() const noexcept {
        return total_of({pieces(), products(), result()}, exchange_in, exchange_out);
    }
    struct phases {
        index_t pieces = 0, products = 0, result = 0;
    };
    static rank_memory total_of(const phases &held, index_t exchange_in,
                                index_t exchange_out) noexcept {
        return {sum_of({held.pieces, held.products, held.result}),
                std::max(base::saturated_add(held.pieces, exchange_in),
                         base::saturated_add(exchange_out, held.result))};
    }
    /// Whether the sum over pk has memory of its own.
    bool is_summed_elsewhere() const noexcept { return piece_d > 0; }

private:
    static index_t sum_of(std::initializer_list<index_t> sizes) noexcept {
        index_t words = 0;
        for (const index_t one : sizes)
            words = base::saturated_add(words, one);
        return words;
    }
};

/// `in_place` says which operands already lie as in `where`.
buffer_words buffers_of(const plan_state &plan, const layouts &where,
                        const std::array<bool, 3> &in_place, int rank);

/// Returns true if the sum over pk is put together in the panel, each piece in its own place: steps
/// do not overwrite what others have completed.
bool sums_in_panel(const plan_state &plan, const layouts &where) noexcept;

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
    /// Calls use(visited_rank, rank_memory), which is in bytes, for all ranks.
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
        buffer_words::phases held;
        std::array<index_t, 3> pieces{}; ///< elements
    };
    kind_words words_of_kind(const layouts &where, int rank) const;
    /// Of a rank's block of an operand, and of the sums that are rounded to D.
    index_t words_of_block(tensor_id operand, index_t elements) const noexcept;
    rank_memory of_visited(const kind_words &kind, const visited_rank &rank) const noexcept;

    const plan_state &plan_;
    std::array<bool, 3> in_place_{};
    std::array<index_t, 3> receivers_{1, 1, 1}; ///< receivers_of()
};

} // namespace tenfold::dist_impl
