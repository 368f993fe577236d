// The micro-kernels of this build, by name, type and instruction set.
#pragma once

#include <span>
#include <string_view>

#include <tenfold/types.hpp>

#include "base/machine.hpp"
#include "gemm/kernels/kernel_abi.hpp"
#include "simd/variant.hpp"

namespace tenfold::gemm_impl {

struct kernel_info {
    std::string_view name; ///< "f64_gemm_24x8__avx512"
    data_type type;
    simd::variant variant;
    int mr, nr;
    const micro_kernel *kernel;
};

/// All of them, whether this machine runs them or not.
std::span<const kernel_info> kernels() noexcept;

/// `machine` is this one: kernels may be for registers of one length.
bool runs(const base::machine &machine, const kernel_info &kernel) noexcept;

/// The kernel of a type for an ISA, or of the strongest one that the ISA includes (simd::serves).
/// Null for types that have none (bf16, f16).
const kernel_info *select(data_type type, isa instruction_set) noexcept;

} // namespace tenfold::gemm_impl
