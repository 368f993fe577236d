#include "gemm/reference.hpp"

#include "base/scalars.hpp"
#include "base/with_type.hpp"

namespace tenfold::gemm_impl {
namespace {

template <class T>
void multiply(const gemm_shape &s, T alpha, const T *a, const T *b, T beta, T *d) noexcept {
    for (index_t i = 0; i < s.m; ++i)
        for (index_t j = 0; j < s.n; ++j) {
            T sum{};
            if (alpha != T{})
                for (index_t p = 0; p < s.k; ++p)
                    sum += base::op(a[i * s.row_stride_a + p * s.column_stride_a], s.conj_a) *
                           base::op(b[p * s.row_stride_b + j * s.column_stride_b], s.conj_b);
            T &element = d[i * s.row_stride_d + j * s.column_stride_d];
            element = beta == T{} ? alpha * sum : alpha * sum + beta * element;
        }
}

} // namespace

void reference_gemm(const gemm_shape &shape, scalar alpha, const void *a, const void *b,
                    scalar beta, void *d) noexcept {
    base::with_arithmetic_type(shape.type, [&]<class T>(T) {
        multiply(shape, base::scalar_cast<T>(alpha), static_cast<const T *>(a),
                 static_cast<const T *>(b), base::scalar_cast<T>(beta), static_cast<T *>(d));
    });
}

} // namespace tenfold::gemm_impl
