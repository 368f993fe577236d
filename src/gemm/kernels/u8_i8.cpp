// Products of unsigned 8-bit integers in A and signed ones in B.
#include "gemm/kernels/bytes.hpp"

// f32's tile suits: a word is as wide, and so are the accumulators.
TENFOLD_MIXED_KERNEL(
    u8_i8, TENFOLD_F32_MR, TENFOLD_F32_NR,
    words_kernel<unit_u8_i8, format<uint8_t>, format<int8_t>, TENFOLD_F32_MR, TENFOLD_F32_NR>)
