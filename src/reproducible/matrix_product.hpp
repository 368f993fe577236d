// Products of boxes of tensors in which every element is summed in one order, whatever the boxes'
// shapes. Reproducible sums consist of these.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/context.hpp>
#include <tenfold/transpose.hpp>

#include "gemm/plan/plan.hpp"
#include "reproducible/summation.hpp"

namespace tenfold::reproducible_impl {

/// The loops of a product D[m, n, batch] = sum over k of A[m, k, batch] B[k, n, batch]. Each group
/// (batch, m, n, k) has extents and the strides in A and B, fastest first; a stride is 0 if the
/// tensor lacks the label. D is dense with modes m, n, batch.
struct product_loops {
    struct group {
        extents_t extents;
        std::array<extents_t, 2> strides; ///< A, B
        index_t size() const noexcept;
    };
    std::array<group, 4> groups;
    const group &of(label_class which) const noexcept {
        return groups[static_cast<std::size_t>(which)];
    }
};

/// One planned product.
template <class T> class matrix_product {
public:
    matrix_product(const product_kind &kind, const product_loops &loops, int threads,
                   const context &ctx);

    /// Returns the bytes of workspace, which must be aligned to 64 bytes.
    index_t workspace_size() const noexcept;
    /// Predicted seconds.
    double seconds() const noexcept;
    /// One line, without a newline.
    std::string describe() const;
    std::size_t footprint() const noexcept;
    /// Computes D = A B; b is null if there is no B.
    status run(const void *a, const void *b, T *d, std::span<std::byte> workspace) const noexcept;

private:
    /// The matrices of an operand: in the tensor, or copied one after the other.
    struct operand {
        extents_t batch_strides;
        index_t row_stride = 1, column_stride = 1;
        extents_t term_strides; ///< for dots, fused
        std::optional<transpose_plan> copy;
        index_t copied = 0; ///< elements of the copy
    };
    operand arrange(const product_loops &loops, std::size_t which, label_class rows,
                    label_class columns, const context &ctx) const;
    void multiply(const T *a, const T *b, T *d, std::byte *workspace) const noexcept;
    void dot(const T *a, const T *b, T *d) const noexcept;
    template <class Use>
    void for_each_batch(const T *a, const T *b, T *d, const Use &use) const noexcept;

    product_kind kind_;
    extents_t batch_; ///< fused
    extents_t terms_; ///< for dots, fused
    index_t m_, n_, k_, batches_;
    int threads_;
    int loop_threads_ = 1; ///< threads that share the batch
    operand a_, b_;
    std::optional<gemm_impl::gemm_plan> gemm_;
    double gemm_seconds_ = 0; ///< of one product
    double dot_seconds_ = 0;  ///< predicted
};

} // namespace tenfold::reproducible_impl
