// The interface of the kernels that copy a box of a tensor into a dense buffer, in another order of
// modes. Only plain declarations are allowed here, because files that include it are compiled for
// one ISA each.
#pragma once

#include <stdint.h>

namespace tenfold::transpose_impl {

/// Distances in bytes.
struct box_dimension {
    int64_t extent, from, to;
};

/// Cache lines that are needed soon.
struct coming_lines {
    const char *first;
    const int64_t *at; ///< of each, in bytes from `first`
    int64_t count;
};

/// Copies element (p, q) from `from + p_from[p] + q * size` to `to + q_to[q] + p * size`, at every
/// position of the dimensions, and fetches lines into the L2 cache meanwhile.
struct box_copy {
    const char *from;
    char *to;
    int64_t p;
    const int64_t *p_from; ///< null: they are adjacent
    int64_t q;
    const int64_t *q_to;
    const box_dimension *dimensions;
    int64_t dimension_count; ///< at most most_box_dimensions
    coming_lines next[3];
};

constexpr int64_t most_box_dimensions = 8;

using box_kernel = void (*)(const box_copy &);

/// By the size of an element.
struct box_kernels {
    box_kernel copy4, copy8;
};

} // namespace tenfold::transpose_impl
