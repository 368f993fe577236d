// Cuts sums that must not depend on the number of ranks.
#pragma once

#include <vector>

#include "einsum/problem/labels.hpp"

namespace tenfold::reproducible_impl {

/// Cuts the index space of the contracted labels into a Cartesian grid of *leaves*, at floor(i N /
/// d) of each label; one binary tree sums them. The digits of a leaf's number are the labels'
/// parts, the first label's digit being the lowest; nodes of the tree are runs of 2^j leaves that
/// begin at a multiple of 2^j. The grid depends on the global extents only. Ranks and steps get
/// whole nodes, so a node's sum has the same bits wherever, and with whatever else, it is computed.
class leaf_grid {
public:
    /// One leaf.
    leaf_grid() = default;
    /// Makes up to 16 leaves (more if D is small, so that many ranks have work), none shorter than
    /// 256 positions. Halves the longest label (among equal ones the last), along which tensors are
    /// cut by default, four times. Then halves the others, from the last one on, as often as
    /// possible, which keeps leaves of A long in memory; if that is not enough, halves the longest
    /// again.
    explicit leaf_grid(const einsum_impl::labelled_problem &problem);

    /// Returns the number of leaves, a power of 2.
    index_t count() const noexcept { return count_; }
    bool possible(index_t parts) const noexcept;
    /// Returns into how many parts each contracted label is cut for nodes of count() / parts
    /// leaves, in the order of labels().
    std::vector<int> factors(index_t parts) const;
    /// Returns the number of positions of the largest of these parts.
    index_t largest(index_t parts) const;
    /// Returns the contracted labels; the one that is halved first comes last.
    const std::vector<int> &labels() const noexcept { return labels_; }
    /// Returns the position in labels() of each of `labels` labels; 0 for those that are not
    /// contracted.
    std::vector<int> places(std::size_t labels) const;

private:
    std::vector<int> labels_;
    extents_t extents_;
    std::vector<int> halvings_; ///< of each label
    index_t count_ = 1;
};

} // namespace tenfold::reproducible_impl
