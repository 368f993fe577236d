// The kernel of f32.
#include "gemm/kernels/entry.hpp"

TENFOLD_GEMM_KERNEL(real, f32, float, TENFOLD_F32_MR, TENFOLD_F32_NR)
