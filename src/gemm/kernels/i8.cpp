// Products of signed 8-bit integers.
#include "gemm/kernels/bytes.hpp"

// f32's tile suits: a word is as wide, and so are the accumulators.
TENFOLD_MIXED_KERNEL(
    i8, TENFOLD_F32_MR, TENFOLD_F32_NR,
    words_kernel<signed_unit, signed_format_a, signed_format_b, TENFOLD_F32_MR, TENFOLD_F32_NR>)
