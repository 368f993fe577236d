// Many matrix multiplications of one shape in one call, separate or summed.
#pragma once

#include <span>

#include <tenfold/gemm.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// A non-owning batch of matrices with the same extents and strides. The start of matrix i is given
/// in one of three ways, by a constant stride, by offsets, or by addresses (Georganas et al. 2021,
/// Tensor Processing Primitives). The arrays are not copied.
template <class T> class matrix_batch {
public:
    matrix_batch() = default;

    /// Matrix i starts at first.data + i * stride; stride 0: `count` times the same matrix.
    static matrix_batch strided(const matrix_view<T> &first, index_t count, index_t stride) {
        matrix_batch batch(first, count);
        batch.stride_ = stride;
        return batch;
    }
    /// Matrix i starts at base.data + offsets[i] elements.
    static matrix_batch at_offsets(const matrix_view<T> &base, std::span<const index_t> offsets) {
        matrix_batch batch(base, static_cast<index_t>(offsets.size()));
        batch.offsets_ = offsets.data();
        return batch;
    }
    /// Matrix i starts at addresses[i]; the data of `layout` is not used.
    static matrix_batch at_addresses(const matrix_view<T> &layout, std::span<T *const> addresses) {
        matrix_batch batch(layout, static_cast<index_t>(addresses.size()));
        batch.addresses_ = addresses.data();
        return batch;
    }

    index_t size() const noexcept { return count_; }
    /// Extents and strides of each matrix; its data pointer is the one passed at construction.
    const matrix_view<T> &layout() const noexcept { return layout_; }
    index_t stride() const noexcept { return stride_; }
    bool by_stride() const noexcept { return offsets_ == nullptr && addresses_ == nullptr; }
    bool by_addresses() const noexcept { return addresses_ != nullptr; }
    T *address(index_t i) const noexcept {
        if (addresses_ != nullptr)
            return addresses_[i];
        return layout_.data + (offsets_ != nullptr ? offsets_[i] : i * stride_);
    }

private:
    matrix_batch(const matrix_view<T> &layout, index_t count) : layout_(layout), count_(count) {}

    matrix_view<T> layout_;
    index_t count_ = 0;
    index_t stride_ = 0;
    const index_t *offsets_ = nullptr;
    T *const *addresses_ = nullptr;
};

/// Computes C_i = alpha op(A_i) op(B_i) + beta C_i for all i, planned once. The three batches may
/// give their starts in different ways. An epilogue is applied to each C_i. Small products are
/// distributed over the threads, and all threads share each large one; the result is bitwise the
/// same for any number of threads.
///
/// As in gemm, the C_i must not overlap themselves, each other, or any A_j or B_j. That is checked
/// between batches by_stride(); with offsets or addresses the caller must ensure it. Throws what
/// gemm throws, before anything is written, and errc::extent_mismatch if the batches' sizes differ.
template <class T>
[[gnu::visibility("default")]] void gemm_batch(const matrix_batch<const std::type_identity_t<T>> &a,
                                               const matrix_batch<const std::type_identity_t<T>> &b,
                                               const matrix_batch<T> &c,
                                               const gemm_options &options = {});

/// Batch-reduce GEMM (BRGEMM): C = alpha sum_i op(A_i) op(B_i) + beta C. Each element is one sum of
/// count * k products, kept in registers over many A_i and B_i if these are small (Georganas et al.
/// 2021). An empty batch gives C = beta C. Checks, errors, threads and epilogue as above.
template <class T> [[gnu::visibility("default")]] void
gemm_batch_reduce(const matrix_batch<const std::type_identity_t<T>> &a,
                  const matrix_batch<const std::type_identity_t<T>> &b, matrix_view<T> c,
                  const gemm_options &options = {});

} // namespace tenfold
