// Transposition element by element: any strides, any pair of types. It serves what no register
// kernel does: tensors without a contiguous mode, conversions, arithmetic on bf16 and f16.
#pragma once

#include <tenfold/types.hpp>

#include "transpose/kernels/kernel_abi.hpp"

namespace tenfold::transpose_impl {

/// Element (i, j), i < m, j < n, of A lies at x + i * x_across + j * x_along, of B likewise.
/// Strides in bytes.
struct element_block {
    const char *x;
    index_t x_across, x_along;
    char *y;
    index_t y_across, y_along;
    index_t m, n;
};
using element_kernel = void (*)(const element_block &, const row_operation &);

/// Null where the types do not go together.
element_kernel element_kernel_for(data_type a, data_type b) noexcept;

/// The same for contiguous rows, n counted in elements. Null where the types do not go together.
row_kernel converting_row_kernel_for(data_type a, data_type b) noexcept;

} // namespace tenfold::transpose_impl
