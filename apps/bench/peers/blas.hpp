// The Fortran interface of matrix multiplication, which every BLAS exports, and scalars for it.
#pragma once

#include <array>
#include <cstddef>
#include <new>

#include <tenfold/types.hpp>

#include "base/scalars.hpp"
#include "base/with_type.hpp"

namespace tenfold::apps_impl {

/// dgemm_ and the like; alpha, beta and the matrices are of the function's type.
using gemm_function = void(const char *trans_a, const char *trans_b, const int *m, const int *n,
                           const int *k, const void *alpha, const void *a, const int *lda,
                           const void *b, const int *ldb, const void *beta, void *c,
                           const int *ldc);

/// `value` as an arithmetic type, in memory: the interface takes its address.
class scalar_value {
public:
    scalar_value(data_type type, double value) {
        base::with_arithmetic_type(type, [&]<class T>(T) {
            static_assert(sizeof(T) <= sizeof(bytes_) && alignof(T) <= alignof(c64));
            new (bytes_.data()) T(base::scalar_cast<T>(value));
        });
    }
    const void *address() const noexcept { return bytes_.data(); }

private:
    alignas(c64) std::array<std::byte, sizeof(c64)> bytes_{};
};

} // namespace tenfold::apps_impl
