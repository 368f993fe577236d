// The instruction set that a kernel source is compiled for: cmake/TenfoldKernel.cmake says which
// header that is, docs/kernel-contract.md what stands there. Included by kernel sources only;
// everything has internal linkage.
#pragma once

#include TENFOLD_SIMD_HEADER
