// The registers of the instruction set that this source is compiled for.
#pragma once

#if defined(__AVX512F__)
#include "transpose/kernels/registers_avx512.hpp"
#elif defined(__AVX2__)
#include "transpose/kernels/registers_avx2.hpp"
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 0
#include "transpose/kernels/registers_sve.hpp"
#else
#include "transpose/kernels/registers_generic.hpp"
#endif
