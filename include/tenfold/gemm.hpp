// Matrix multiplication with any row and column strides: C = alpha * op(A) * op(B) + beta * C.
#pragma once

#include <optional>

#include <tenfold/context.hpp>
#include <tenfold/error.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// A non-owning view of a matrix; strides are in elements and may have any sign. To transpose it,
/// exchange rows with columns and the two strides.
template <class T> struct matrix_view {
    T *data = nullptr;
    index_t rows = 0;
    index_t columns = 0;
    index_t row_stride = 0;    ///< from one row to the next within a column
    index_t column_stride = 0; ///< from one column to the next within a row

    matrix_view() = default;
    /// Dense, column-major.
    matrix_view(T *elements, index_t row_count, index_t column_count) noexcept
        : matrix_view(elements, row_count, column_count, 1, row_count) {}
    matrix_view(T *elements, index_t row_count, index_t column_count, index_t from_row_to_row,
                index_t from_column_to_column) noexcept
        : data(elements), rows(row_count), columns(column_count), row_stride(from_row_to_row),
          column_stride(from_column_to_column) {}

    matrix_view transposed() const noexcept {
        return {data, columns, rows, column_stride, row_stride};
    }
};

class epilogue;           // <tenfold/epilogue.hpp>
struct execution_control; // <tenfold/control.hpp>

struct gemm_options {
    scalar alpha = 1.0;
    scalar beta = 0.0;
    bool conj_a = false;
    bool conj_b = false;
    int threads = 0;                                        ///< 0: the context's
    std::optional<tenfold::backend> backend = std::nullopt; ///< empty: the context's
    const context *ctx = nullptr;                           ///< null: context::global()
    const tenfold::epilogue *epilogue = nullptr;            ///< applied to C at the end; null: none
    /// Reports progress and requests a stop; null: none. Products that take microseconds ignore it.
    const execution_control *control = nullptr;
};

/// Computes C = alpha op(A) op(B) + beta C for f32, f64, c32 and c64; 2 m n k flops (8 if complex).
/// beta = 0: C is not read; alpha = 0 or k = 0: A and B are not read. C must not overlap itself, A
/// or B. Throws, before C is written, errc::extent_mismatch, invalid_argument (negative extents,
/// options out of range), overflow (byte distances between elements that do not fit 64 bits),
/// type_mismatch (complex alpha or beta for real matrices), null_pointer, overlap, unsupported (a
/// back end that this build lacks), out_of_memory, and the same for the epilogue's operands.
/// Planning allocates no memory. errc::stopped, by options.control, leaves C unspecified.
template <class T>
[[gnu::visibility("default")]] void gemm(const matrix_view<const std::type_identity_t<T>> &a,
                                         const matrix_view<const std::type_identity_t<T>> &b,
                                         const matrix_view<T> &c, const gemm_options &options = {});

} // namespace tenfold
