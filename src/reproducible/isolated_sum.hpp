// Sums over isolated labels.
#pragma once

#include "reproducible/leaf_sum.hpp"

namespace tenfold::reproducible_impl {

/// The sum of an input over the labels that neither the other input nor D has, into a dense array.
template <class T> class isolated_sum {
public:
    /// `extents` and `strides` are those of the input's distinct labels, in their order, which the
    /// array keeps.
    isolated_sum(const einsum_impl::labelled_problem &problem, einsum_impl::tensor_id input,
                 data_type type, extents_t extents, const extents_t &strides, int threads,
                 const context &ctx, tile_budget budget = {});
    isolated_sum(const isolated_sum &) = delete;
    isolated_sum &operator=(const isolated_sum &) = delete;

    index_t workspace_size() const noexcept { return sum_.workspace_size(); }
    double seconds() const noexcept { return sum_.seconds(); }
    /// Elements of the array.
    index_t size() const noexcept { return size_; }
    std::size_t footprint() const noexcept { return sum_.footprint(); }
    status run(const void *input, T *to, std::span<std::byte> workspace) const;

private:
    int threads_;
    summation what_;
    label_box box_;
    summand from_;
    extents_t strides_; ///< of the array; 0 for labels that are summed over
    index_t size_ = 1;
    leaf_sum<T> sum_;
};

} // namespace tenfold::reproducible_impl
