// Arithmetic on extents and byte counts that refuses to wrap.
#pragma once

#include <cstdint>
#include <string>

#include <tenfold/error.hpp>
#include <tenfold/types.hpp>

namespace tenfold::base {

/// a * b; throws errc::overflow: "<what>: 3037000500 x 3037000500 does not fit 64 bits".
inline index_t checked_multiply(index_t a, index_t b, const char *what) {
    index_t result = 0;
    if (__builtin_mul_overflow(a, b, &result))
        throw error(errc::overflow, std::string(what) + ": " + std::to_string(a) + " x " +
                                        std::to_string(b) + " does not fit 64 bits");
    return result;
}

/// a + b; throws errc::overflow.
inline index_t checked_add(index_t a, index_t b, const char *what) {
    index_t result = 0;
    if (__builtin_add_overflow(a, b, &result))
        throw error(errc::overflow, std::string(what) + ": " + std::to_string(a) + " + " +
                                        std::to_string(b) + " does not fit 64 bits");
    return result;
}

/// a + b of numbers that are not negative, the largest number where it does not fit: for what is
/// only told.
constexpr index_t saturated_add(index_t a, index_t b) noexcept {
    index_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? INT64_MAX : result;
}

/// a * b, likewise.
constexpr index_t saturated_multiply(index_t a, index_t b) noexcept {
    index_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

/// For a >= 0 and b > 0.
constexpr index_t divide_up(index_t a, index_t b) noexcept { return a / b + (a % b != 0); }
/// For what fits 64 bits when it is rounded.
constexpr index_t round_up(index_t a, index_t multiple) noexcept {
    return divide_up(a, multiple) * multiple;
}

} // namespace tenfold::base
