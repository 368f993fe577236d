// The epilogues' kernels of f32 and f64.
#include "gemm/kernels/functions.hpp"

#define TENFOLD_TEXT_(x) #x
#define TENFOLD_TEXT(x) TENFOLD_TEXT_(x)
#define TENFOLD_JOIN_(a, b) a##b
#define TENFOLD_JOIN(a, b) TENFOLD_JOIN_(a, b)
#define TENFOLD_ENTRY TENFOLD_JOIN(tenfold_gemm_functions_, TENFOLD_KERNEL_ISA)

extern "C" const element_kernel_set *TENFOLD_ENTRY();
extern "C" const element_kernel_set *TENFOLD_ENTRY() {
    static constexpr element_kernel_set kernels = {"functions__" TENFOLD_TEXT(TENFOLD_KERNEL_ISA),
                                                   register_bytes, element_kernels_of<float>(),
                                                   element_kernels_of<double>()};
    return &kernels;
}
