// Arithmetic on extents and byte counts that detects overflow.
#pragma once

#include <cstdint>
#include <string>

#include <tenfold/error.hpp>
#include <tenfold/types.hpp>

namespace tenfold::base {

/// a * b. Throws errc::overflow: "<what>: 3037000500 x 3037000500 does not fit 64 bits".
inline index_t checked_multiply(index_t a, index_t b, const char *what) {
    index_t result = 0;
    if (__builtin_mul_overflow(a, b, &result))
        throw error(errc::overflow, std::string(what) + ": " + std::to_string(a) + " x " +
                                        std::to_string(b) + " does not fit 64 bits");
    return result;
}

/// a + b. Throws errc::overflow.
inline index_t checked_add(index_t a, index_t b, const char *what) {
    index_t result = 0;
    if (__builtin_add_overflow(a, b, &result))
        throw error(errc::overflow, std::string(what) + ": " + std::to_string(a) + " + " +
                                        std::to_string(b) + " does not fit 64 bits");
    return result;
}

/// a + b of non-negative numbers, saturating at INT64_MAX. Only for numbers that are reported.
constexpr index_t saturated_add(index_t a, index_t b) noexcept {
    index_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? INT64_MAX : result;
}

/// a * b, saturating likewise.
constexpr index_t saturated_multiply(index_t a, index_t b) noexcept {
    index_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

/// ceil(a / b) for a >= 0 and b > 0.
constexpr index_t divide_up(index_t a, index_t b) noexcept { return a / b + (a % b != 0); }
/// The next multiple of `multiple`; the result must fit 64 bits.
constexpr index_t round_up(index_t a, index_t multiple) noexcept {
    return divide_up(a, multiple) * multiple;
}

} // namespace tenfold::base
