// The interface between the ceilings and their kernels: one table per instruction set. Kernel
// sources include only this header and intrinsics.
#pragma once

#include <stdint.h>

namespace tenfold::calibrate_impl {

struct ceiling_kernels {
    /// Runs `rounds` rounds of multiply-adds in registers. Returns the sum of the accumulators, so
    /// that the compiler does not remove the work.
    float (*fma_f32)(int64_t rounds);
    double (*fma_f64)(int64_t rounds);
    int64_t flops_per_round_f32;
    int64_t flops_per_round_f64;

    /// Copies `size` bytes with non-temporal stores if the instruction set has them. Both pointers
    /// are aligned to 64 bytes; the areas do not overlap.
    void (*copy)(void *to, const void *from, int64_t size);
    /// y = a x + y with regular stores.
    void (*saxpy_f32)(float a, const float *x, float *y, int64_t n);
    void (*saxpy_f64)(double a, const double *x, double *y, int64_t n);
    /// Reads `size` bytes, aligned to 64. The result keeps the compiler from removing the loads.
    int64_t (*read)(const void *from, int64_t size);
    /// Writes zeros as copy() writes.
    void (*write)(void *to, int64_t size);
};

/// Register-resident dot products of bf16 pairs or of four 8-bit integers.
struct dot_ceiling {
    float (*rounds)(int64_t count);
    int64_t flops_per_round; ///< a product and an addition each count one
};

} // namespace tenfold::calibrate_impl
