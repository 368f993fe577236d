// Tiles of c32.
#include "gemm/kernels/entry.hpp"

#if defined(__AVX512F__)
TENFOLD_GEMM_KERNEL(complex, c32, float, 48, 4)
#elif defined(__AVX2__)
TENFOLD_GEMM_KERNEL(complex, c32, float, 8, 6)
#elif defined(__ARM_FEATURE_SVE) && __ARM_FEATURE_SVE_BITS == 512
TENFOLD_GEMM_KERNEL(complex, c32, float, 48, 4)
#elif defined(__ARM_FEATURE_SVE)
TENFOLD_GEMM_KERNEL(complex, c32, float, 24, 4)
#elif defined(__aarch64__)
TENFOLD_GEMM_KERNEL(complex, c32, float, 8, 6)
#else
TENFOLD_GEMM_KERNEL(complex, c32, float, 4, 4)
#endif
