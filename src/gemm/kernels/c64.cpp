// The kernel of c64.
#include "gemm/kernels/entry.hpp"

TENFOLD_GEMM_KERNEL(complex, c64, double, TENFOLD_C64_MR, TENFOLD_C64_NR)
