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

/// The useful numbers of parts of each group of labels, and how labels are cut for them. The same
/// however operands lie.
class group_cuts {
public:
    struct cut {
        int parts;
        double largest; ///< positions of the largest part
        /// Of equally good ways: the longest part of each label.
        std::vector<std::vector<index_t>> ways;
    };

    /// `leaves`: of reproducible sums, else null.
    group_cuts(const labelled_problem &problem, const reproducible_impl::leaf_grid *leaves,
               int ranks);

    const std::vector<int> &labels(label_class group) const noexcept {
        return labels_[static_cast<std::size_t>(group)];
    }
    const std::vector<cut> &of(label_class group) const noexcept {
        return cuts_[static_cast<std::size_t>(group)];
    }

private:
    std::array<std::vector<int>, 4> labels_;
    std::array<std::vector<cut>, 4> cuts_;
};

/// Knows, for each useful number of parts, how much of each operand a rank may at most keep where
/// it lies.
class grid_bounds {
public:
    /// `plan` is complete except for the layouts; `cuts` are those of its problem.
    grid_bounds(const plan_state &plan, const group_cuts &cuts);

    /// Returns all useful grids that are worth comparing, the cheapest first.
    std::vector<priced_grid> all() const;
    /// The same in any order, in a third of the time.
    std::vector<priced_grid> unsorted() const;

private:
    /// A number of parts of one group.
    struct group_cut {
        int parts;
        double largest; ///< positions of the largest part
        /// Per operand: the most positions of the group that a part shares with a rank's block.
        std::array<double, 3> shared{1, 1, 1};
    };
    using grid_cut = std::array<const group_cut *, 4>; ///< batch, m, n, k

    std::vector<group_cut> cuts_of(label_class group, const group_cuts &cuts) const;
    priced_grid price(const grid_cut &cut) const;
    may_be_kept kept(const grid_cut &cut, const processor_grid &grid) const;
    double least_words(const may_be_kept &kept, const processor_grid &grid) const;
    /// The least messages of redistributions.
    int least_messages(const processor_grid &grid) const noexcept;

    const plan_state &plan_;
    std::array<std::vector<bool>, 3> panels_; ///< by label: whether an operand's panels have it
    std::array<extents_t, 3> blocks_;         ///< by label: extents of the largest given block
    std::array<double, 3> sizes_{};           ///< elements of the operands
    std::array<double, 3> isolated_{};        ///< positions of isolated labels in a given block
    std::array<std::vector<group_cut>, 4> cuts_;
};

} // namespace tenfold::dist_impl
