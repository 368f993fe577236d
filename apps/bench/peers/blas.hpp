// The Fortran interface of matrix multiplication, which every BLAS exports.
#pragma once

namespace tenfold::apps_impl {

/// dgemm_ and the like; alpha, beta and the matrices are of the function's type.
using gemm_function = void(const char *trans_a, const char *trans_b, const int *m, const int *n,
                           const int *k, const void *alpha, const void *a, const int *lda,
                           const void *b, const int *ldb, const void *beta, void *c,
                           const int *ldc);

} // namespace tenfold::apps_impl
