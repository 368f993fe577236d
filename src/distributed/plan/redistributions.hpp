// Words and messages with which operands reach the layouts of a contraction, and D its own: counted
// for many layouts of one plan, from tables of how much ranks' blocks and pieces have in common.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// Calls use(rank) for all ranks, or for an evenly spread sample if there are many.
template <class Use> void for_some_ranks(int ranks, const Use &use) {
    constexpr int most = 64;
    const int looked_at = std::min(ranks, most);
    for (int i = 0; i < looked_at; ++i)
        use(static_cast<int>(std::int64_t{i} * ranks / looked_at));
}

/// Words that ranks receive while operands move to the layouts and D moves back.
struct redistribution_words {
    index_t most = 0; ///< maximum over the ranks
    index_t sum = 0;
    friend auto operator<=>(const redistribution_words &, const redistribution_words &) = default;
};

/// An operand, the ranges that ranks' blocks of it have along each label, and what these ranks
/// receive of it, or of D, in each layout that was looked at.
class given_operand {
public:
    given_operand(const labelled_problem &problem, tensor_id which, const distribution &given);

    /// Takes the next layout; `digits` are those of its labels (find_digits()). Returns true if
    /// what ranks receive is known.
    bool look_at(const layout_choice &candidate, const std::vector<coordinate_digit> &digits);
    /// Elements that the i-th of the ranks receives, which is at this position.
    index_t received(std::size_t i, const grid_position &position);
    /// The same of all ranks, in their order, which are at these positions; kept.
    const std::vector<index_t> &received_by_all(const std::vector<grid_position> &positions);
    /// From how many ranks it receives them.
    index_t senders(std::size_t i, const grid_position &position);

    std::size_t layouts_known() const noexcept { return known_.size(); }
    void forget_layouts() noexcept { known_.clear(); }

private:
    struct range {
        index_t begin, end;
        friend bool operator==(const range &, const range &) = default;
    };
    struct given_label;

    /// A label that a layout cuts into pieces.
    class cut_label {
    public:
        cut_label(const given_label &of, index_t pieces);

        index_t pieces() const noexcept { return pieces_; }
        index_t length(index_t piece) const noexcept {
            return lengths_.empty() ? find_length(piece)
                                    : lengths_[static_cast<std::size_t>(piece)];
        }
        /// Positions of a piece that are in a given range.
        index_t shared(std::size_t range, index_t piece) const noexcept {
            return lengths_.empty() ? find_shared(range, piece)
                                    : shared_[range * static_cast<std::size_t>(pieces_) +
                                              static_cast<std::size_t>(piece)];
        }
        /// Given blocks that a piece meets, and pieces that a given range meets; none is empty.
        index_t blocks_met(index_t piece) const noexcept;
        index_t pieces_met(std::size_t range) const noexcept;

    private:
        index_t find_length(index_t piece) const noexcept;
        index_t find_shared(std::size_t range, index_t piece) const noexcept;

        const given_label *of_;
        index_t pieces_;
        std::vector<index_t> lengths_; ///< empty: there are too many pieces for tables
        std::vector<index_t> shared_;  ///< of each range, by piece
    };

    /// A distinct label, in which the given blocks of ranks have few different ranges.
    struct given_label {
        std::size_t number; ///< of the problem's labels
        std::size_t group;
        index_t extent;
        bool in_panel;          ///< else it is isolated, and never cut
        std::vector<int> parts; ///< of each mode with the label
        std::vector<range> ranges;
        std::deque<cut_label> cuts; ///< by the number of pieces, as they are asked for

        const cut_label &cut_into(index_t pieces);
    };
    /// What a rank has.
    struct given_block {
        int rank;
        bool exists;
        index_t size;
        std::vector<std::size_t> ranges; ///< of each label
    };
    /// A label as the present layout cuts it.
    struct present_label {
        const cut_label *cut;
        std::size_t group;
        coordinate_digit part, further;

        index_t piece_at(const grid_position &position, int place) const noexcept {
            return index_t{part.of(position[group])} * further.radix + further.of(place);
        }
    };
    /// A rank's piece, and what of it is in its given block.
    struct overlap {
        index_t piece = 0, shared = 0;
    };

    /// Finds `present_` unless it is that of the present layout.
    void cut();
    overlap overlap_at(const given_block &block, const grid_position &position) const noexcept;

    tensor_id which_;
    bool is_scalar_;
    std::vector<given_label> labels_;
    std::vector<given_block> blocks_; ///< of the ranks that are looked at
    std::unordered_map<std::uint64_t, std::vector<index_t>> known_; ///< by the layout's hash
    // The present layout.
    const layout_choice *candidate_ = nullptr;
    const std::vector<coordinate_digit> *digits_ = nullptr;
    std::uint64_t hash_ = 0;
    const std::vector<index_t> *received_ = nullptr; ///< null: not known yet
    std::vector<present_label> present_;
    bool is_cut_ = false;
};

/// Operands of one contraction in the distributions that plans began with.
class given_operands {
public:
    /// For plans one after the other: those of earlier plans may be forgotten.
    std::array<given_operand *, 3> of(const labelled_problem &problem,
                                      const std::array<distribution, 3> &given);
    void forget_if_many();

private:
    std::map<std::pair<int, std::uint64_t>, given_operand> known_; ///< by tensor and hash
};

/// Counts for some ranks.
class redistributions {
public:
    static constexpr redistribution_words no_limit{INT64_MAX, INT64_MAX};

    /// `plan` is complete except for the layouts. Both live on, and nothing else uses `kept`.
    redistributions(const plan_state &plan, given_operands &kept);

    /// Stops counting as soon as the words cannot be less than `enough`.
    redistribution_words of(const layout_choice &candidate,
                            const redistribution_words &enough = no_limit) const;
    /// From how many ranks one of the ranks receives at most, for each operand and of D.
    index_t messages(const layout_choice &candidate) const;

private:
    const plan_state &plan_;
    std::array<given_operand *, 3> operands_; ///< null: B, with one input
    std::vector<int> ranks_;
    mutable std::vector<coordinate_digit> digits_;
    mutable std::vector<grid_position> positions_;
    mutable std::size_t busiest_ = 0; ///< of the last candidate: mostly it tells first of the next
};

} // namespace tenfold::dist_impl
