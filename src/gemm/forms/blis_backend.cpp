#include "gemm/forms/blis_backend.hpp"

#include <omp.h>

#include <blis.h>

#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "base/with_type.hpp"

namespace tenfold::gemm_impl {
namespace {

/// BLIS takes strides (0, 0) for column-major, cannot broadcast, and aborts on strides that do not
/// nest.
bool accepts(index_t rows, index_t columns, index_t row_stride, index_t column_stride) noexcept {
    if (row_stride <= 0 || column_stride <= 0)
        return false;
    return row_stride <= column_stride ? column_stride >= rows * row_stride
                                       : row_stride >= columns * column_stride;
}

trans_t transposition(bool conj) noexcept {
    return conj ? BLIS_CONJ_NO_TRANSPOSE : BLIS_NO_TRANSPOSE;
}

/// How BLIS calls a type, and its product of that.
template <class T> struct blis_type;
template <> struct blis_type<float> {
    using type = float;
    static constexpr auto gemm = bli_sgemm_ex;
};
template <> struct blis_type<double> {
    using type = double;
    static constexpr auto gemm = bli_dgemm_ex;
};
template <> struct blis_type<c32> {
    using type = scomplex;
    static constexpr auto gemm = bli_cgemm_ex;
};
template <> struct blis_type<c64> {
    using type = dcomplex;
    static constexpr auto gemm = bli_zgemm_ex;
};

} // namespace

bool blis_accepts(const gemm_shape &s) noexcept {
    return accepts(s.m, s.k, s.row_stride_a, s.column_stride_a) &&
           accepts(s.k, s.n, s.row_stride_b, s.column_stride_b) &&
           accepts(s.m, s.n, s.row_stride_d, s.column_stride_d);
}

void blis_gemm(const gemm_shape &s, int threads, const product_operands<> &x) noexcept {
    rntm_t settings = BLIS_RNTM_INITIALIZER;
    const int team = base::team_for(threads);
    base::team_bound::tell(team);
    bli_rntm_set_num_threads(team, &settings);
    // Turns off BLIS's kernels for small and skinny matrices. They do not pack, and on processors
    // with AVX2 they read past the ends of the operands (BLIS 0.9; github.com/flame/blis, issues
    // 635 and 821).
    bli_rntm_disable_l3_sup(&settings);
    base::with_arithmetic_type(s.type, [&]<class T>(T) {
        using B = typename blis_type<T>::type;
        T alpha_value = base::scalar_cast<T>(x.alpha);
        T beta_value = base::scalar_cast<T>(x.beta);
        // BLIS takes inputs by pointer to non-const; it does not write them.
        blis_type<T>::gemm(
            transposition(s.conj_a), transposition(s.conj_b), s.m, s.n, s.k,
            reinterpret_cast<B *>(&alpha_value), static_cast<B *>(const_cast<void *>(x.a)),
            s.row_stride_a, s.column_stride_a, static_cast<B *>(const_cast<void *>(x.b)),
            s.row_stride_b, s.column_stride_b, reinterpret_cast<B *>(&beta_value),
            static_cast<B *>(x.d), s.row_stride_d, s.column_stride_d, nullptr, &settings);
    });
}

} // namespace tenfold::gemm_impl
