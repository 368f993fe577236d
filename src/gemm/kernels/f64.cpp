// Tiles of f64.
#include "gemm/kernels/entry.hpp"

#if defined(__AVX512F__)
TENFOLD_GEMM_KERNEL(real, f64, double, 24, 8)
#elif defined(__AVX2__)
TENFOLD_GEMM_KERNEL(real, f64, double, 8, 6)
#elif defined(__ARM_FEATURE_SVE) && __ARM_FEATURE_SVE_BITS == 512
TENFOLD_GEMM_KERNEL(real, f64, double, 24, 8)
#elif defined(__ARM_FEATURE_SVE)
TENFOLD_GEMM_KERNEL(real, f64, double, 12, 8)
#elif defined(__aarch64__)
TENFOLD_GEMM_KERNEL(real, f64, double, 8, 6)
#else
TENFOLD_GEMM_KERNEL(real, f64, double, 4, 4)
#endif
