// The kernels of mixed products, by product and instruction set.
#pragma once

#include <span>
#include <string_view>

#include <tenfold/types.hpp>

#include "base/machine.hpp"
#include "gemm/forms/driver.hpp"
#include "gemm/kernels/kernel_abi.hpp"
#include "simd/variant.hpp"

namespace tenfold::gemm_impl {

/// What is multiplied, A's type before B's, and how. i32 is no narrower than D, and packed like the
/// others: its kernels are of the same kind.
enum class mixed_product : std::uint8_t {
    bf16_widened,
    bf16_dot,
    f16_widened,
    i8,
    u8_i8,
    i8_u8,
    i32
};

/// D is of integers modulo 2^32 then, else of f32.
constexpr bool is_of_integers(mixed_product product) noexcept {
    return product >= mixed_product::i8;
}

/// The product with A and B swapped.
constexpr mixed_product swapped(mixed_product product) noexcept {
    return product == mixed_product::u8_i8   ? mixed_product::i8_u8
           : product == mixed_product::i8_u8 ? mixed_product::u8_i8
                                             : product;
}

struct mixed_kernel_info {
    std::string_view name; ///< "bf16_gemm_48x8__avx512"
    mixed_product product;
    simd::variant variant;
    micro_kernel loops;      ///< as the driver wants it
    element_format elements; ///< likewise
};

/// Multiply-adds of integers in the time of one of f32. Words of bytes take as long, each for a
/// whole group of them if there is an instruction for that; processors multiply 32-bit integers at
/// a fourth of the speed, or a half.
inline double integer_speed(const mixed_kernel_info &kernel, bool has_instruction) noexcept {
    if (kernel.product == mixed_product::i32)
        return 0.25;
    return has_instruction ? static_cast<double>(kernel.elements.group) : 1;
}

/// All of them, whether this machine runs them or not.
std::span<const mixed_kernel_info> mixed_kernels() noexcept;

bool runs(const base::machine &machine, const mixed_kernel_info &kernel) noexcept;

/// The best kernel for an ISA and what else the machine has.
const mixed_kernel_info &select(mixed_product product, isa instruction_set,
                                const base::machine &machine) noexcept;

/// Returns true if an instruction made for such products computes them.
bool has_instruction(mixed_product product, isa instruction_set,
                     const base::machine &machine) noexcept;

} // namespace tenfold::gemm_impl
