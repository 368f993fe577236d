// How sums are cut where they must not depend on the number of ranks.
#pragma once

#include <vector>

#include "distributed/plan/labels.hpp"

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
    /// positions. The longest label (of equal ones the last), which tensors are cut along by
    /// default, is halved four times, the others from the last on as often as can be: leaves of A
    /// are long in memory. Where that is not enough, the longest is halved again.
    explicit leaf_grid(const labelled_problem &problem);

    /// A power of 2.
    index_t count() const noexcept { return count_; }
    bool possible(index_t parts) const noexcept;
    /// Into how many parts each contracted label is cut for nodes of count() / parts leaves, in the
    /// order of labels().
    std::vector<int> factors(index_t parts) const;
    /// Positions of the largest of these parts.
    index_t largest(index_t parts) const;
    /// The contracted labels, the one that is halved first last.
    const std::vector<int> &labels() const noexcept { return labels_; }
    /// The place in labels() of each of so many labels; 0 of those that are not contracted.
    std::vector<int> places(std::size_t labels) const;

private:
    std::vector<int> labels_;
    extents_t extents_;
    std::vector<int> halvings_; ///< of each label
    index_t count_ = 1;
};

} // namespace tenfold::dist_impl
