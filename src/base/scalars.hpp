// Conversion of alpha and beta to the element type.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include <tenfold/types.hpp>

#include "base/with_type.hpp"

namespace tenfold::base {

/// Rounds `value` to single precision. Volatile because GCC 12 (-O2, SLP vectorisation) removes a
/// pair of conversions from double to float and back.
inline double to_single(double value) noexcept {
    const volatile float single = static_cast<float>(value);
    return static_cast<double>(single);
}

/// The value in single precision such that rounding it again, to a shorter format, is as rounding
/// `value` itself: what is not exact gets an odd significand (Boldo and Melquiond 2008).
inline float round_to_odd(double value) noexcept {
    const volatile float nearest = static_cast<float>(value); // as in to_single()
    const float single = nearest;
    if (static_cast<double>(single) == value || std::isnan(value))
        return single;
    auto bits = std::bit_cast<std::uint32_t>(single);
    if (std::abs(static_cast<double>(single)) > std::abs(value))
        --bits; // towards zero
    return std::bit_cast<float>(bits | 1U);
}

/// The value as a stored number, rounded once.
template <class Stored, class Computed> Stored round_once(Computed value) noexcept {
    if constexpr (std::is_same_v<Computed, double> && sizeof(Stored) < sizeof(float))
        return static_cast<Stored>(round_to_odd(value));
    else
        return static_cast<Stored>(value);
}

/// Rounds `value` to the precision of `type`, so that every algorithm treats what rounds to 0 in
/// f32 as 0. Factors of integers are exact (fits()).
inline scalar round_to(data_type type, scalar value) noexcept {
    if (is_integer(type) || size_of(real_type_of(type)) > size_of(data_type::f32))
        return value;
    return {to_single(value.real()), to_single(value.imag())};
}

/// x * y. A real x multiplies both parts, so that an infinite or NaN part of y does not affect the
/// other part, as a complex product would.
inline scalar scaled(scalar x, scalar y) noexcept {
    return x.imag() == 0 ? scalar(x.real() * y.real(), x.real() * y.imag()) : x * y;
}

/// True if the value is an integer of 32 bits, which those of tensors of integers must be.
inline bool is_int32(scalar value) noexcept {
    const double number = value.real();
    return value.imag() == 0 && number >= -0x1p31 && number < 0x1p31 &&
           number == std::trunc(number);
}

/// A factor of integers modulo 2^32. is_int32() must hold.
inline std::uint32_t integer_factor(scalar value) noexcept {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(value.real()));
}

/// True if a tensor of `type` can be multiplied with `value`.
inline bool fits(data_type type, scalar value) noexcept {
    if (is_integer(type))
        return is_int32(value);
    return is_complex(type) || value.imag() == 0;
}

/// The value as T; a real T takes the real part.
template <class T> T scalar_cast(scalar value) noexcept {
    using real = typename element_traits<T>::real;
    if constexpr (element_traits<T>::is_complex)
        return T(static_cast<real>(value.real()), static_cast<real>(value.imag()));
    else
        return round_once<T>(value.real());
}

/// The value, or its complex conjugate.
template <class T> T op(T value, bool conj) noexcept {
    if constexpr (element_traits<T>::is_complex)
        return conj ? std::conj(value) : value;
    else
        return value;
}

/// Where a 1 and a 0 of the type lie, for kernels.
template <class T> [[gnu::visibility("hidden")]] inline constexpr T one_as = T(1);
template <class T> [[gnu::visibility("hidden")]] inline constexpr T zero_as = T(0);
inline const void *one_of(data_type type) noexcept {
    return with_arithmetic_type(type, []<class T>(T) -> const void * { return &one_as<T>; });
}
inline const void *zero_of(data_type type) noexcept {
    return with_arithmetic_type(type, []<class T>(T) -> const void * { return &zero_as<T>; });
}

} // namespace tenfold::base
