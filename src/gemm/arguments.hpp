// What every public matrix product asks of its arguments before anything is written.
#pragma once

#include <string>

#include <tenfold/gemm.hpp>

#include "base/scalars.hpp"
#include "gemm/overlap.hpp"

namespace tenfold::gemm_impl {

/// One extent of two matrices: "m: rows of A is 2, rows of C is 3".
inline void require_equal(index_t one, const char *one_what, index_t other, const char *other_what,
                          const char *name) {
    if (one != other)
        throw error(errc::extent_mismatch, std::string("gemm: ") + name + ": " + one_what + " is " +
                                               std::to_string(one) + ", " + other_what + " is " +
                                               std::to_string(other));
}

template <class T> void require_extents(const matrix_view<T> &matrix, const char *letter) {
    if (matrix.rows < 0 || matrix.columns < 0)
        throw error(errc::invalid_argument, std::string("gemm: ") + letter + " has " +
                                                std::to_string(matrix.rows) + " rows and " +
                                                std::to_string(matrix.columns) +
                                                " columns; neither may be negative");
}

/// C(m x n) = A(m x k) B(k x n): the extents agree.
template <class In, class Out> void
require_product(const matrix_view<In> &a, const matrix_view<In> &b, const matrix_view<Out> &c) {
    require_extents(a, "A");
    require_extents(b, "B");
    require_extents(c, "C");
    require_equal(a.rows, "rows of A", c.rows, "rows of C", "m");
    require_equal(b.columns, "columns of B", c.columns, "columns of C", "n");
    require_equal(a.columns, "columns of A", b.rows, "rows of B", "k");
}

/// alpha and beta are numbers of the output's type.
inline void require_factors(data_type output, const gemm_options &options) {
    if (!base::fits(output, options.alpha) || !base::fits(output, options.beta))
        throw error(errc::type_mismatch,
                    "gemm: alpha or beta has an imaginary part, but the matrices are real");
}

inline void require_threads(int threads) {
    if (threads < 0)
        throw error(errc::invalid_argument,
                    "gemm: threads is " + std::to_string(threads) + "; it is at least 0");
}

template <class T> matrix_placement place(const matrix_view<T> &matrix) {
    return {matrix.data,    sizeof(T),         matrix.rows,
            matrix.columns, matrix.row_stride, matrix.column_stride};
}

template <class In, class Out>
void require_apart(const matrix_view<In> &input, const char *letter, const matrix_view<Out> &c) {
    if (share_memory(place(input), place(c)))
        throw error(errc::overlap, std::string("gemm: C overlaps ") + letter + "; copy " + letter +
                                       " or write to another matrix");
}

inline void require_data(const void *data, const char *letter) {
    if (data == nullptr)
        throw error(errc::null_pointer, std::string("gemm: ") + letter + " is null");
}

/// What is read is there, and C overlaps neither itself nor what is read. A and B are read unless
/// alpha is 0.
template <class In, class Out> void require_memory(const matrix_view<In> &a,
                                                   const matrix_view<In> &b,
                                                   const matrix_view<Out> &c, bool alpha_is_zero) {
    if (c.rows == 0 || c.columns == 0)
        return;
    require_data(c.data, "C");
    if (overlaps_itself(place(c)))
        throw error(errc::overlap, "gemm: C overlaps itself: row stride " +
                                       std::to_string(c.row_stride) + ", column stride " +
                                       std::to_string(c.column_stride));
    if (alpha_is_zero || a.columns == 0)
        return;
    require_data(a.data, "A");
    require_data(b.data, "B");
    require_apart(a, "A", c);
    require_apart(b, "B", c);
}

[[noreturn]] inline void throw_no_workspace(byte_count size) {
    throw error(errc::out_of_memory,
                "gemm: cannot allocate " + std::to_string(size.value) + " bytes of workspace");
}

} // namespace tenfold::gemm_impl
