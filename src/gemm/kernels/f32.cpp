// Tiles of f32.
#include "gemm/kernels/entry.hpp"

#if defined(__AVX512F__)
TENFOLD_GEMM_KERNEL(real, f32, float, 48, 8)
#elif defined(__AVX2__)
TENFOLD_GEMM_KERNEL(real, f32, float, 16, 6)
#elif defined(__aarch64__)
TENFOLD_GEMM_KERNEL(real, f32, float, 16, 6)
#else
TENFOLD_GEMM_KERNEL(real, f32, float, 8, 4)
#endif
