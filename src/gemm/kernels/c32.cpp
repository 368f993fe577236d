// The kernel of c32.
#include "gemm/kernels/entry.hpp"

TENFOLD_GEMM_KERNEL(complex, c32, float, TENFOLD_C32_MR, TENFOLD_C32_NR)
