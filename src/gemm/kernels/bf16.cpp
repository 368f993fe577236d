// bf16 widened to f32: the upper half of the same number.
#include "gemm/kernels/entry_mixed.hpp"

namespace {

struct bf16_widened {
    using source = uint16_t;
    static constexpr int group = 1;
    static constexpr bool corrected = false;

    static word part(source bits) { return word{bits} << 16; }
    static word whole(const source *x) { return part(*x); }
    template <int lanes> static words<lanes> parts(const source *x) {
        return extend<lanes>(x) << 16;
    }
    template <int lanes> static words<lanes> steps(const source *x) { return parts<lanes>(x); }
};

} // namespace

TENFOLD_MIXED_KERNEL(bf16, TENFOLD_F32_MR, TENFOLD_F32_NR, widened_kernel<bf16_widened>)
