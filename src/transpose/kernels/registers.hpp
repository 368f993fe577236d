// The registers of the instruction set that this source is compiled for.
#pragma once

#if defined(__AVX512F__)
#include "transpose/kernels/registers_avx512.hpp"
#elif defined(__AVX2__)
#include "transpose/kernels/registers_avx2.hpp"
#else
#include "transpose/kernels/registers_generic.hpp"
#endif
