// What passes between an epilogue and its kernels: docs/kernel-contract.md.
//
// Like kernel_abi.hpp free of the standard library, because kernel sources include it.
#pragma once

#include <stdint.h>

namespace tenfold::gemm_impl {

/// The elements that a kernel replaces by functions of themselves: columns of m adjacent elements.
struct element_tile {
    int64_t m, n;
    void *d;
    int64_t column_stride;
};

/// A matrix of the tile's size, strides of any sign and zero: a vector is a matrix that has one.
struct addend {
    const void *x;
    int64_t row_stride, column_stride;
    const void *factor; ///< one element
};

/// In the order of tenfold::elementwise.
constexpr int element_function_count = 6;

/// Of one real type. What becomes of an element depends on its value alone, never on its place.
struct element_kernels {
    void (*functions[element_function_count])(const element_tile *);
    void (*scale)(const element_tile *, const void *factor);
    void (*add)(const element_tile *, const addend *); ///< d += factor x
};

struct element_kernel_set {
    const char *name; ///< functions__isa
    element_kernels f32, f64;
};

} // namespace tenfold::gemm_impl
