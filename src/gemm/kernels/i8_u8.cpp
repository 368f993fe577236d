// Products of signed 8-bit integers in A and unsigned ones in B.
#include "gemm/kernels/bytes.hpp"

// f32's tile suits: a word is as wide, and so are the accumulators.
TENFOLD_MIXED_KERNEL(
    i8_u8, TENFOLD_F32_MR, TENFOLD_F32_NR,
    words_kernel<unit_i8_u8, format<int8_t>, format<uint8_t>, TENFOLD_F32_MR, TENFOLD_F32_NR>)
