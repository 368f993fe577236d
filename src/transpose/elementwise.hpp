// Transposition element by element: any strides, any pair of types. It serves what no register
// kernel does: tensors without a contiguous mode, conversions, arithmetic on bf16 and f16.
#pragma once

#include <tenfold/types.hpp>

#include "transpose/kernels/kernel_abi.hpp"

namespace tenfold::transpose_impl {

/// As the kernels of an instruction set, and any steps between elements; null where the types do
/// not go together. What they write goes through the cache.
struct element_kernels {
    strip_kernel strip = nullptr;
    copy_kernel rows = nullptr;
    scale_kernel scale = nullptr;
};
element_kernels element_kernels_for(data_type a, data_type b) noexcept;

} // namespace tenfold::transpose_impl
