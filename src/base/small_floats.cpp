// Conversions of bf16 and f16 by bit manipulation, which gives the same result on every machine.
#include <bit>
#include <cmath>

#include <tenfold/types.hpp>

namespace tenfold {

bf16::bf16(float value) noexcept {
    const auto word = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) {
        bits = static_cast<std::uint16_t>((word >> 16) | 0x40U); // quiet, with the payload's top
        return;
    }
    const std::uint32_t round_to_even = 0x7fffU + ((word >> 16) & 1U);
    bits = static_cast<std::uint16_t>((word + round_to_even) >> 16);
}

bf16::operator float() const noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

f16::f16(float value) noexcept {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (word >> 16) & 0x8000U;
    const std::uint32_t magnitude = word & 0x7fffffffU;
    std::uint32_t half = 0;
    if (magnitude > 0x7f800000U) {
        half = 0x7e00U; // NaN
    } else if (magnitude >= 0x477ff000U) {
        half = 0x7c00U; // values beyond 65504 after rounding become infinite
    } else if (magnitude < 0x38800000U) {
        // Subnormal in f16: adding 0.5 aligns the significand so that the FPU rounds it to even.
        half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
    } else {
        const std::uint32_t round_to_even = 0xfffU + ((magnitude >> 13) & 1U);
        half = (magnitude - 0x38000000U + round_to_even) >> 13;
    }
    bits = static_cast<std::uint16_t>(sign | half);
}

f16::operator float() const noexcept {
    const std::uint32_t sign = (bits & 0x8000U) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1fU;
    const std::uint32_t fraction = bits & 0x3ffU;
    if (exponent == 0) {
        const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
        return sign != 0 ? -magnitude : magnitude;
    }
    if (exponent == 31)
        return std::bit_cast<float>(sign | 0x7f800000U | (fraction << 13));
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

} // namespace tenfold
