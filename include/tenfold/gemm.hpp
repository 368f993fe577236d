// Matrix multiplication with any row and column strides: C = alpha * op(A) * op(B) + beta * C.
#pragma once

#include <optional>

#include <tenfold/context.hpp>
#include <tenfold/error.hpp>

namespace tenfold {

/// A matrix somebody else owns; strides in elements, of any sign. A transposed matrix is the same
/// one with rows, columns and the strides exchanged.
template <class T> struct matrix_view {
    T *data = nullptr;
    index_t rows = 0;
    index_t columns = 0;
    index_t row_stride = 1;    ///< from one row to the next within a column
    index_t column_stride = 0; ///< from one column to the next within a row

    matrix_view transposed() const noexcept {
        return {data, columns, rows, column_stride, row_stride};
    }
};

struct gemm_options {
    scalar alpha = 1.0;
    scalar beta = 0.0;
    bool conj_a = false;
    bool conj_b = false;
    int threads = 0;                                        ///< 0: the context's
    std::optional<tenfold::backend> backend = std::nullopt; ///< empty: the context's
    const context *ctx = nullptr;                           ///< null: context::global()
};

/// C = alpha op(A) op(B) + beta C for f32, f64, c32 and c64; 2 m n k flops (8 when complex).
/// beta = 0: C is not read; alpha = 0 or k = 0: A and B are not read. C must not overlap itself, A
/// or B. Throws errc::extent_mismatch, errc::null_pointer, errc::overlap, errc::out_of_memory
/// before C is written.
template <class T> void gemm(matrix_view<const std::type_identity_t<T>> a,
                             matrix_view<const std::type_identity_t<T>> b, matrix_view<T> c,
                             const gemm_options &options = {});

} // namespace tenfold
