// The kernel of f64.
#include "gemm/kernels/entry.hpp"

TENFOLD_GEMM_KERNEL(real, f64, double, TENFOLD_F64_MR, TENFOLD_F64_NR)
