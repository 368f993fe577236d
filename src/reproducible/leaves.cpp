#include "reproducible/leaves.hpp"

#include <algorithm>
#include <bit>

#include "base/checked.hpp"

namespace tenfold::reproducible_impl {
namespace {

using einsum_impl::label_class;

/// Positions of a leaf, at least: one block of k of the product's kernels. After a block the
/// kernels read and write D anyway.
constexpr index_t least_leaf = 256;
constexpr index_t usual_leaves = 16;
constexpr index_t most_leaves = 1024;
/// Halvings of the label that is cut first, while others can be halved too. More would make leaves
/// too thin.
constexpr int first_halvings = 4;
/// More leaves than usual have at most this many elements of D in all, so that adding them stays
/// cheap.
constexpr index_t small_output = index_t{1} << 20;

} // namespace

leaf_grid::leaf_grid(const einsum_impl::labelled_problem &problem)
    : labels_(problem.group(label_class::k)), halvings_(labels_.size(), 0) {
    const auto extent = [&](int label) {
        return problem.labels[static_cast<std::size_t>(label)].extent;
    };
    const auto longest = std::max_element(labels_.rbegin(), labels_.rend(),
                                          [&](int a, int b) { return extent(a) < extent(b); });
    if (longest != labels_.rend()) // move it to the end
        std::rotate(longest.base() - 1, longest.base(), labels_.end());
    extents_ = problem.extents_of(labels_);
    index_t output = 1; // does not overflow, since D or its diagonal fits, unless D is empty
    for (const label_class group : {label_class::batch, label_class::m, label_class::n})
        output = base::saturated_multiply(output, std::max<index_t>(1, problem.size_of(group)));
    const index_t most = std::clamp(small_output / output, usual_leaves, most_leaves);
    const index_t wanted = std::min(problem.size_of(label_class::k) / least_leaf, most);
    const auto halvings_of = [](index_t n) { // floor(log2 n)
        return n < 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1;
    };
    int others = 0; // possible halvings of the other labels
    for (std::size_t label = 0; label + 1 < labels_.size(); ++label)
        others += halvings_of(extents_[label]);
    int left = halvings_of(wanted);
    for (std::size_t label = labels_.size(); label-- > 0;) {
        const bool is_first = label + 1 == labels_.size();
        halvings_[label] = std::min({left, halvings_of(extents_[label]),
                                     is_first ? std::max(first_halvings, left - others) : left});
        left -= halvings_[label];
        count_ <<= halvings_[label];
    }
}

bool leaf_grid::possible(index_t parts) const noexcept {
    return parts >= 1 && parts <= count_ && std::has_single_bit(static_cast<std::uint64_t>(parts));
}

std::vector<int> leaf_grid::places(std::size_t labels) const {
    std::vector<int> result(labels, 0);
    for (std::size_t i = 0; i < labels_.size(); ++i)
        result[static_cast<std::size_t>(labels_[i])] = static_cast<int>(i);
    return result;
}

std::vector<int> leaf_grid::factors(index_t parts) const {
    std::vector<int> result(labels_.size(), 1);
    for (std::size_t label = labels_.size(); label-- > 0;)
        for (int halving = 0; halving < halvings_[label] && parts > 1; ++halving, parts /= 2)
            result[label] *= 2;
    return result;
}

index_t leaf_grid::largest(index_t parts) const {
    if (std::find(extents_.begin(), extents_.end(), 0) != extents_.end())
        return 0;
    const std::vector<int> cut_into = factors(parts);
    index_t size = 1;
    for (std::size_t label = 0; label < labels_.size(); ++label)
        size = base::saturated_multiply(size, base::divide_up(extents_[label], cut_into[label]));
    return size; // may be saturated beside an empty group
}

} // namespace tenfold::reproducible_impl
