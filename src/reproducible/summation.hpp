// What is summed reproducibly: D[m, n, batch] = sum over k of op(A)[m, k, batch] op(B)[k, n,
// batch], label by label. The order of labels, their extents and the leaves decide the bits of D;
// layouts do not.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "einsum/problem/labels.hpp"
#include "reproducible/leaves.hpp"

namespace tenfold::reproducible_impl {

using einsum_impl::label_class;

/// The way in which products are computed; the same for all elements of a contraction.
enum class product_form : std::uint8_t {
    matrices, ///< by GEMM
    dots,     ///< m and n are one position each
    copies    ///< nothing is multiplied or summed
};

/// What a product computes, whatever its loops are.
struct product_kind {
    product_form form = product_form::matrices;
    bool has_b = false; ///< otherwise A is summed
    bool conj_a = false, conj_b = false;
    data_type type_a = data_type::f64, type_b = data_type::f64; ///< widened if D's is another one
};

/// Labels of a sum are numbered from 0 in the order in which the sum takes them.
class summation {
public:
    /// The contraction of two inputs without isolated labels, or of one input, as `kind` says
    /// except for `form` and `has_b`. Everything comes from global extents.
    summation(const einsum_impl::labelled_problem &problem, const product_kind &kind);
    /// The sum of an input over its isolated labels, in one leaf.
    summation(const einsum_impl::labelled_problem &problem, einsum_impl::tensor_id input,
              data_type type);

    struct label {
        int number; ///< in the problem
        index_t extent;
        label_class group;
    };
    /// Lets a tensor's labels of batch, m or n run in the order of its strides, which fuses more of
    /// them. The order of k decides bits and stays.
    void sort(label_class group, const extents_t &strides);

    const std::vector<label> &labels() const noexcept { return labels_; }
    /// The labels of a group.
    const std::vector<std::size_t> &group(label_class which) const noexcept {
        return groups_[static_cast<std::size_t>(which)];
    }
    /// A label that leaves cut, fastest digit first, and the number of its parts.
    struct cut_label {
        std::size_t label;
        index_t parts;
    };
    const std::vector<cut_label> &cuts() const noexcept { return cuts_; }
    const leaf_grid &leaves() const noexcept { return leaves_; }
    /// The positions of the largest leaf.
    index_t largest_leaf() const noexcept { return largest_leaf_; }
    const product_kind &kind() const noexcept { return kind_; }

    /// The label of this number in the problem, which the sum has.
    std::size_t at(int number) const noexcept {
        std::size_t label = 0;
        while (labels_[label].number != number)
            ++label;
        return label;
    }
    /// Returns values by the problem's labels as values by the sum's labels; absent ones are 0.
    extents_t by_label(const std::vector<int> &numbers, const extents_t &values) const;

private:
    void add(int number, index_t extent, label_class group);

    std::vector<label> labels_;
    std::array<std::vector<std::size_t>, einsum_impl::product_classes.size()> groups_;
    leaf_grid leaves_;
    index_t largest_leaf_ = 1;
    std::vector<cut_label> cuts_;
    product_kind kind_;
};

/// A range of positions of every label.
struct label_box {
    /// As many as two inputs have.
    static constexpr std::size_t most = 2 * einsum_impl::max_modes;
    std::array<index_t, most> offsets, extents; ///< by label; uninitialised beyond the labels

    /// The positions of a group.
    index_t size_of(const summation &sum, label_class group) const noexcept {
        index_t size = 1;
        for (const std::size_t label : sum.group(group))
            size *= extents[label];
        return size;
    }
    /// The elements of D.
    index_t output_size(const summation &sum) const noexcept {
        return size_of(sum, label_class::batch) * size_of(sum, label_class::m) *
               size_of(sum, label_class::n);
    }
    /// All positions.
    static label_box whole(const summation &sum) noexcept;
};

} // namespace tenfold::reproducible_impl
