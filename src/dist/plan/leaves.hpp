// How sums are cut where they must not depend on the number of ranks.
#pragma once

#include <vector>

#include "dist_plan/labels.hpp"

namespace tenfold::dist_impl {

/// The contracted labels' index space in a Cartesian grid of *leaves*, at floor(i N / d) of each
/// label, which are summed by one binary tree. Leaf i is the number whose digits are the labels'
/// parts, the first label's being the lowest; nodes of the tree are runs of 2^j leaves that begin
/// at a multiple of 2^j. Depends on the global extents only. Ranks and steps get whole nodes: then
/// a node's sum has the same bits wherever, and with whatever else, it is computed.
class leaf_grid {
public:
    /// One leaf.
    leaf_grid() = default;
    /// Up to 16 leaves (more where D is small, so that many ranks find work), none shorter than 256
    /// positions. The last label is halved as often as can be, then the one before: leaves of A are
    /// long in memory.
    explicit leaf_grid(const labelled_problem &problem);

    /// A power of 2.
    index_t count() const noexcept { return count_; }
    bool possible(index_t parts) const noexcept;
    /// Into how many parts each contracted label is cut for nodes of count() / parts leaves, in the
    /// order of problem.group(label_class::k).
    std::vector<int> factors(index_t parts) const;
    /// Positions of the largest of these parts.
    index_t largest(index_t parts) const;
    const std::vector<int> &labels() const noexcept { return labels_; }

private:
    std::vector<int> labels_;
    extents_t extents_;
    std::vector<int> halvings_; ///< of each label
    index_t count_ = 1;
};

} // namespace tenfold::dist_impl
