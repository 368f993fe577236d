// The epilogues' kernels of f32 and f64.
#include "gemm/kernels/functions.hpp"
#include "simd/entry.hpp"

TENFOLD_DEFINE_ENTRY(element_kernel_set,
                     {"functions__" TENFOLD_TEXT(TENFOLD_KERNEL_ISA), element_kernels_of<float>(),
                      element_kernels_of<double>()})
