// Visits all ranks of a plan in little time: a million of them take a fifth of a second.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// A rank as a survey describes it.
struct visited_rank {
    int rank;
    /// Ranks of one kind have panels and pieces of the same extents. Kinds are numbered by their
    /// first ranks, from 0.
    std::size_t kind = 0;
    std::array<index_t, 3> blocks{}; ///< elements of each operand that the rank holds
    std::array<index_t, 3>
        given{}; ///< those of them that count: on the diagonal of repeated labels
    std::array<index_t, 3> shared{}; ///< those of them that are in its piece
};

/// Every rank's share of the given blocks in the pieces of `where`, from tables instead of boxes.
class rank_survey {
public:
    rank_survey(const plan_state &plan, const layouts &where);

    /// Calls use(visited_rank) for all ranks in order.
    template <class Use> void for_each(const Use &use) const {
        kinds_of_ranks kinds;
        grid_position position{};
        for (int rank = 0; rank < plan_.ranks; ++rank) {
            use(has_tables_ ? from_tables(rank, position, kinds) : from_boxes(rank, kinds));
            advance(position, rank + 1);
        }
    }

private:
    /// A mode of an operand: how the caller's distribution and how pieces cut it.
    struct mode {
        std::size_t group = 0;          ///< whose coordinate says which part a panel is
        std::vector<int> part;          ///< by that coordinate
        int further = 1;                ///< pieces of a part
        std::vector<int> piece;         ///< of the part, by the place in the team
        std::vector<index_t> begins;    ///< of pieces, and the end of the last
        std::vector<std::uint64_t> key; ///< by piece: 1: is longer than some, 2: so is its panel
        int given_parts = 1;
        std::vector<index_t> given; ///< begins of the given parts, and the end of the last
    };
    struct operand_tables {
        bool exists = false;
        bool is_scalar = false; ///< the first rank of a team has the piece
        std::vector<mode> modes;
        std::vector<int> cell_of_rank; ///< -1: no cell
    };
    struct kinds_of_ranks {
        std::unordered_map<std::uint64_t, std::size_t> by_key;
        std::map<std::vector<index_t>, std::size_t> by_shape;
        std::uint64_t last_key = ~std::uint64_t{0};
        std::size_t last = 0;
    };

    mode tables_of_mode(tensor_id operand, std::size_t mode_number) const;
    visited_rank from_tables(int rank, const grid_position &position, kinds_of_ranks &kinds) const;
    visited_rank from_boxes(int rank, kinds_of_ranks &kinds) const;
    /// `rank` is the next one.
    void advance(grid_position &position, int rank) const noexcept;

    const plan_state &plan_;
    const layouts &where_;
    bool has_tables_ = true;
    std::array<operand_tables, 3> tables_;
};

} // namespace tenfold::dist_impl
