#include "compat/tblis/small_matrices.hpp"

#include <tenfold/gemm.hpp>

namespace tenfold::tblis_impl {
namespace {

using tblis::label_type;
using tblis::tblis_tensor;

bool is_small_matrix(const tblis_tensor &x) noexcept {
    constexpr index_t longest = 32;
    const auto is_short = [](index_t length) { return length >= 2 && length <= longest; };
    return x.ndim == 2 && is_short(x.len[0]) && is_short(x.len[1]);
}

/// The matrix whose rows are along the mode `rows`, 0 or 1.
template <class T> matrix_view<T> view_of(const tblis_tensor &x, int rows) noexcept {
    const int columns = 1 - rows;
    return {static_cast<T *>(x.data), x.len[rows], x.len[columns], x.stride[rows],
            x.stride[columns]};
}

/// Which of two labels is neither of the other two; -1: none, or both.
int mode_without(const label_type *labels, const label_type *others) noexcept {
    const auto is_other = [&](label_type one) { return one == others[0] || one == others[1]; };
    const bool first = is_other(labels[0]), second = is_other(labels[1]);
    return first == second ? -1 : first ? 1 : 0;
}

} // namespace

bool multiply_small_matrices(const tblis_tensor &A, const label_type *idx_A, const tblis_tensor &B,
                             const label_type *idx_B, const tblis_tensor &C,
                             const label_type *idx_C, int threads) {
    if (!is_small_matrix(A) || !is_small_matrix(B) || !is_small_matrix(C))
        return false;
    // Each matrix lacks one of m, n and k, and shares one with each of the others.
    const int k_of_a = mode_without(idx_A, idx_C), k_of_b = mode_without(idx_B, idx_C);
    const int m_of_c = mode_without(idx_C, idx_B);
    if (k_of_a < 0 || k_of_b < 0 || m_of_c < 0 || idx_A[k_of_a] != idx_B[k_of_b] ||
        idx_A[1 - k_of_a] != idx_C[m_of_c] || idx_B[1 - k_of_b] != idx_C[1 - m_of_c])
        return false;
    with_type(C.type, [&]<class T>(T) {
        gemm<T>(view_of<const T>(A, 1 - k_of_a), view_of<const T>(B, k_of_b), view_of<T>(C, m_of_c),
                {.alpha = product_of_factors(A, B),
                 .beta = factor_of(C),
                 .conj_a = conjugates(A, data_type_of<T>),
                 .conj_b = conjugates(B, data_type_of<T>),
                 .threads = threads});
    });
    return true;
}

} // namespace tenfold::tblis_impl
