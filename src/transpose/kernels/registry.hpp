// Which kernels there are, and which one serves a pair of types on an instruction set.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tenfold/types.hpp>

#include "transpose/kernels/kernel_abi.hpp"
#include "transpose/plan/schedule.hpp"

namespace tenfold::transpose_impl {

/// All that one transposition needs, whatever its method.
struct kernel_choice {
    strip_kernel strip = nullptr;      ///< from A's type to B's
    strip_kernel copy_strip = nullptr; ///< where types agree and nothing is computed
    strip_kernel move = nullptr;       ///< elements of A's type as they are; null: there is none
    copy_kernel rows = nullptr;
    copy_kernel copy_rows = nullptr;
    scale_kernel scale = nullptr; ///< B = beta B
    kernel_shape shape;
    method how = method::elements;
    data_type type_a = data_type::f64, type_b = data_type::f64;
    std::string_view variant = "generic"; ///< of the instruction set

    /// "transpose_f32_16x16_avx512", "copy_f32_avx512", "elements_generic". Made when it is asked
    /// for, because plans are made in less time than texts.
    std::string name() const;
};

/// Kernels like those of an instruction set, but for any strides and any pair of types, element by
/// element; null if the types do not go together. They write through the cache. They serve cases
/// that no register kernel does: tensors without a contiguous mode, conversions, arithmetic on bf16
/// and f16.
struct element_kernels {
    strip_kernel strip = nullptr;
    copy_kernel rows = nullptr;
    scale_kernel scale = nullptr;
};
element_kernels element_kernels_for(data_type a, data_type b) noexcept;

/// True where a transposition from A's type to B's exists.
bool converts(data_type a, data_type b) noexcept;

/// The best for an ISA, or for the strongest one that it includes (simd::serves).
kernel_choice choose_kernels(isa set, method how, data_type a, data_type b);

/// Names of all kernels of this build.
std::vector<std::string> kernel_names();

} // namespace tenfold::transpose_impl
