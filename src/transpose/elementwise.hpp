// Transposition element by element, for any strides and any pair of types. It serves cases that no
// register kernel does: tensors without a contiguous mode, conversions, arithmetic on bf16 and f16.
#pragma once

#include <tenfold/types.hpp>

#include "transpose/kernels/kernel_abi.hpp"

namespace tenfold::transpose_impl {

/// Kernels like those of an instruction set, but for any distance between elements; null if the
/// types do not go together. They write through the cache.
struct element_kernels {
    strip_kernel strip = nullptr;
    copy_kernel rows = nullptr;
    scale_kernel scale = nullptr;
};
element_kernels element_kernels_for(data_type a, data_type b) noexcept;

} // namespace tenfold::transpose_impl
