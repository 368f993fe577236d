// Prices processor grids from below, in little time: many grids are compared, and layouts are
// sought for few.
#pragma once

#include <array>
#include <tuple>
#include <vector>

#include "distributed/plan/buffers.hpp"
#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// Seconds of the busiest rank.
struct priced_grid {
    processor_grid grid;
    double multiplying;    ///< the largest block
    double receiving;      ///< its panels
    double redistribution; ///< no layouts of the grid take less
    may_be_kept kept = {};
    double moving() const noexcept { return receiving + redistribution; }
    double seconds() const noexcept { return multiplying + moving(); }

    auto order() const {
        return std::tuple(seconds(), grid.size(), grid.k, grid.n, grid.m, grid.batch);
    }
    friend bool operator<(const priced_grid &a, const priced_grid &b) {
        return a.order() < b.order();
    }
};

/// Knows the useful numbers of parts of each group of labels and, for each number, how much of each
/// operand a rank may at most keep where it lies.
class grid_bounds {
public:
    /// `plan` is complete except for the layouts.
    explicit grid_bounds(const plan_state &plan);

    /// Returns all useful grids that are worth comparing, the cheapest first.
    std::vector<priced_grid> all() const;

private:
    /// A number of parts of one group.
    struct group_cut {
        int parts;
        double largest; ///< positions of the largest part
        /// Per operand: the most positions of the group that a part shares with a rank's block.
        std::array<double, 3> shared{1, 1, 1};
    };
    using grid_cut = std::array<const group_cut *, 4>; ///< batch, m, n, k

    std::vector<group_cut> cuts_of(label_class group) const;
    group_cut cut_into(label_class group, int parts, index_t largest) const;
    priced_grid price(const grid_cut &cut) const;
    may_be_kept kept(const grid_cut &cut, const processor_grid &grid) const;
    double least_words(const may_be_kept &kept, const processor_grid &grid) const;
    /// The least messages of redistributions.
    int least_messages(const processor_grid &grid) const noexcept;

    const plan_state &plan_;
    std::array<extents_t, 3> blocks_;  ///< by label: extents of the largest given block
    std::array<double, 3> sizes_{};    ///< elements of the operands
    std::array<double, 3> isolated_{}; ///< positions of isolated labels in a given block
    std::array<std::vector<group_cut>, 4> cuts_;
};

/// The grids of a plan that plan_at() would make, in a small part of its time: the plan does not
/// take fewer seconds than the first of them. Throws as plan_at().
std::vector<priced_grid> grids_at(const prices &price, const contraction_spec &spec,
                                  operand_types types, std::span<const distribution> operands,
                                  const dist_options &options);

} // namespace tenfold::dist_impl
