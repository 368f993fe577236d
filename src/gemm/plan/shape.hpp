// One matrix multiplication: its shape, without data, and the data that it is computed from.
#pragma once

#include <algorithm>
#include <cstddef>

#include <tenfold/types.hpp>

#include "base/machine.hpp"
#include "base/scalars.hpp"
#include "base/streaming.hpp"

namespace tenfold::gemm_impl {

/// D(m x n) = alpha op(A)(m x k) op(B)(k x n) + beta D. Strides are in elements and may have any
/// sign; those of A and B may be 0.
struct gemm_shape {
    data_type type = data_type::f64;
    index_t m = 0, n = 0, k = 0;
    index_t row_stride_a = 0, column_stride_a = 0;
    index_t row_stride_b = 0, column_stride_b = 0;
    index_t row_stride_d = 0, column_stride_d = 0;
    bool conj_a = false, conj_b = false;

    /// Returns true if no elements of B are adjacent.
    bool scatters_b() const noexcept {
        return (row_stride_b > 1 || row_stride_b < -1) &&
               (column_stride_b > 1 || column_stride_b < -1);
    }

    /// Return true if rows or columns of A, or B, consist of adjacent elements.
    bool has_runs_in_a() const noexcept { return row_stride_a == 1 || column_stride_a == 1; }
    bool has_runs_in_b() const noexcept { return row_stride_b == 1 || column_stride_b == 1; }

    /// Returns the shape of D^T = op(B)^T op(A)^T, which has the same addresses.
    gemm_shape transposed() const noexcept {
        return {type,
                n,
                m,
                k,
                column_stride_b,
                row_stride_b,
                column_stride_a,
                row_stride_a,
                column_stride_d,
                row_stride_d,
                conj_b,
                conj_a};
    }
};

/// Elements of the tensors that a product's matrices are parts of, or 0; of A and B those that a
/// loop touches between two uses of a matrix, if that is more. They decide what comes from memory,
/// and what stays in a cache from one product to the next.
struct tensor_sizes {
    double a = 0, b = 0, d = 0;
    bool sums = false;   ///< several products are added up in D, which is read again
    bool series = false; ///< many products follow one another, so that their starts overlap
    double on_lines = 1; ///< share of these products whose D begins on a cache line
    double terms = 1;    ///< products of one sum, which one call adds up in D
    /// The shares of the products of a loop before which a matrix moves on so far that hardware
    /// does not follow (least_far()).
    double far_a = 0, far_b = 0, far_d = 0;
    /// The shares before which the rows or columns of A, or B, do not go on where those of the
    /// product before end.
    double anew_a = 1, anew_b = 1;

    /// Returns true if one core's L2 does not hold them all.
    bool leave_l2(index_t element_size, const base::machine &machine) const noexcept {
        return (a + b + d) * static_cast<double>(element_size) >
               static_cast<double>(machine.l2.size);
    }
    /// Returns the elements of D, of which each is written once; 0 if products are added up in it,
    /// since D that is read again should stay in a cache.
    index_t written_once() const noexcept {
        return sums ? 0 : static_cast<index_t>(std::min(d, 1e18));
    }
    tensor_sizes transposed() const noexcept {
        return {b, a, d, sums, series, on_lines, terms, far_b, far_a, far_d, anew_b, anew_a};
    }
};

/// How a product is computed: as D = A B or D^T = B^T A^T, with rows in order or reversed.
struct orientation {
    gemm_shape shape;        ///< as it is computed
    bool transposed = false; ///< A and B are swapped
    /// Offsets in elements to the new elements (0, 0) of the new A and of D.
    index_t offset_a = 0, offset_d = 0;
};

/// Returns the shape as it is given, with rows reversed if they go backwards in D.
orientation unturned(const gemm_shape &given) noexcept;

/// Returns the cheaper orientation for registers of `vector_length` elements, which lie along the
/// row index of D.
orientation orient(const gemm_shape &given, index_t vector_length) noexcept;

class fused_epilogue;

/// What D = alpha op(A) op(B) + beta D is computed from. Inputs and output are pointers to elements
/// (0, 0), or batches; factors are numbers, or pointers to them.
template <class Factor = scalar, class Input = const void *, class Output = void *>
struct product_operands {
    Factor alpha;
    Input a, b;
    Factor beta;
    Output d;
    std::byte *workspace = nullptr;         ///< of the plan's size, aligned to 64 bytes
    const fused_epilogue *finish = nullptr; ///< applied to every element of D once; null: nothing
};

/// Products that follow one another: from each to the next, A, B and D lie so many elements
/// further.
struct product_series {
    index_t count = 1;
    index_t a = 0, b = 0, d = 0;

    /// The operands of the i-th product. Sizes are bytes of an element of A and B, and of D.
    product_operands<> product(const product_operands<> &first, index_t i, index_t input_size,
                               index_t output_size) const noexcept {
        product_operands<> one = first;
        one.a = static_cast<const std::byte *>(first.a) + i * a * input_size;
        one.b = static_cast<const std::byte *>(first.b) + i * b * input_size;
        one.d = static_cast<std::byte *>(first.d) + i * d * output_size;
        return one;
    }
    product_operands<> product(const product_operands<> &first, index_t i,
                               index_t element_size) const noexcept {
        return product(first, i, element_size, element_size);
    }
};

/// Products of one shape that are added up in one D, wherever their matrices begin: a term of the
/// sum is A_i B_i, first <= i < first + count.
struct product_terms {
    index_t count = 0;
    index_t first = 0;
    const void *matrices = nullptr; ///< what `find` finds them in
    /// Writes the addresses of elements (0, 0) of A and B of `count` terms from `first` on.
    void (*find)(const void *matrices, index_t first, index_t count, const void **a,
                 const void **b) = nullptr;
};

template <class T> using typed_operands = product_operands<T, const T *, T *>;
/// As the loops and the kernels take them: alpha and beta lie in memory, in D's type.
using loop_operands = product_operands<const void *>;

/// Returns the same with all types known.
template <class T> typed_operands<T> typed(const product_operands<> &x) noexcept {
    return {.alpha = base::scalar_cast<T>(x.alpha),
            .a = static_cast<const T *>(x.a),
            .b = static_cast<const T *>(x.b),
            .beta = base::scalar_cast<T>(x.beta),
            .d = static_cast<T *>(x.d),
            .workspace = x.workspace,
            .finish = x.finish};
}

/// The elements (0, 0) of the product that the same thread computes next by the same plan. They are
/// prefetched, and stores past the caches need not have reached memory before it. Null if nothing
/// follows.
struct following {
    const void *a = nullptr;
    const void *b = nullptr;
    const void *d = nullptr;
};

/// Ends one thread's part of a product that stored past the caches, of a team of `threads`. If the
/// thread computes several products in a row, one fence after the last makes the stores of all of
/// them visible; after each, it would wait for memory.
inline void finish_streaming_before(const following &next, int threads) noexcept {
    if (threads > 1 || next.a == nullptr)
        base::finish_streaming();
}

} // namespace tenfold::gemm_impl
