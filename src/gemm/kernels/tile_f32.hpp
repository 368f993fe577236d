// The tile of f32, which kernels that widen their inputs to f32 pack for.
#pragma once

#if defined(__AVX512F__)
#define TENFOLD_F32_MR 48
#define TENFOLD_F32_NR 8
#elif defined(__AVX2__)
#define TENFOLD_F32_MR 16
#define TENFOLD_F32_NR 6
#elif defined(__ARM_FEATURE_SVE) && __ARM_FEATURE_SVE_BITS == 512
#define TENFOLD_F32_MR 48
#define TENFOLD_F32_NR 8
#elif defined(__ARM_FEATURE_SVE)
#define TENFOLD_F32_MR 24
#define TENFOLD_F32_NR 8
#elif defined(__aarch64__)
#define TENFOLD_F32_MR 16
#define TENFOLD_F32_NR 6
#else
#define TENFOLD_F32_MR 8
#define TENFOLD_F32_NR 4
#endif
