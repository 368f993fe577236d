// Arithmetic of the references: sums in a wider type than the elements', rounded once.
#pragma once

#include <cmath>
#include <complex>

#include <tenfold/types.hpp>

namespace tenfold::contract_impl {

/// The type in which sums are formed. It is wider than the element type, so that the oracle's
/// rounding error is negligible beside that of the tested algorithm.
template <class T> struct wider;
template <> struct wider<float> { using type = double; };
template <> struct wider<bf16> { using type = double; };
template <> struct wider<f16> { using type = double; };
template <> struct wider<double> { using type = long double; };
template <> struct wider<c32> { using type = std::complex<double>; };
template <> struct wider<c64> { using type = std::complex<long double>; };

template <class W, class T> W widen(const T &value, bool conjugate) noexcept {
    if constexpr (std::is_same_v<T, c32> || std::is_same_v<T, c64>)
        return W(value.real(), conjugate ? -value.imag() : value.imag());
    else if constexpr (std::is_same_v<T, bf16> || std::is_same_v<T, f16>)
        return static_cast<W>(static_cast<float>(value));
    else
        return static_cast<W>(value);
}

template <class W> W widen_scalar(scalar value) noexcept {
    if constexpr (std::is_floating_point_v<W>)
        return static_cast<W>(value.real());
    else
        return W(value.real(), value.imag());
}

/// Multiplies without the NaN recovery of std::complex, which costs a function call per product.
template <class W> W multiply(const W &x, const W &y) noexcept {
    if constexpr (std::is_floating_point_v<W>)
        return x * y;
    else
        return W(x.real() * y.real() - x.imag() * y.imag(),
                 x.real() * y.imag() + x.imag() * y.real());
}

template <class T, class W> T narrow(const W &value) noexcept {
    if constexpr (std::is_floating_point_v<W>)
        return static_cast<T>(value);
    else
        return T(static_cast<typename T::value_type>(value.real()),
                 static_cast<typename T::value_type>(value.imag()));
}

/// For a complex number: whether one of its parts is NaN.
template <class W> bool is_nan(const W &x) noexcept {
    if constexpr (std::is_floating_point_v<W>)
        return std::isnan(x);
    else
        return std::isnan(x.real()) || std::isnan(x.imag());
}

/// |x - y|; 0 if both are NaN or the same infinity.
template <class W> double distance(const W &x, const W &y) noexcept {
    if constexpr (std::is_floating_point_v<W>)
        return x == y || (std::isnan(x) && std::isnan(y)) ? 0
                                                          : static_cast<double>(std::abs(x - y));
    else
        return std::hypot(distance(x.real(), y.real()), distance(x.imag(), y.imag()));
}

/// Calls action(tag<input type>, tag<output type>) for inputs of `type` and the type of their sums.
template <class T> struct tag { using type = T; };
template <class Action> auto with_types(data_type type, Action &&action) {
    switch (type) {
    case data_type::f64:
        return action(tag<double>(), tag<double>());
    case data_type::c32:
        return action(tag<c32>(), tag<c32>());
    case data_type::c64:
        return action(tag<c64>(), tag<c64>());
    case data_type::bf16:
        return action(tag<bf16>(), tag<float>());
    case data_type::f16:
        return action(tag<f16>(), tag<float>());
    case data_type::f32:
        break;
    }
    return action(tag<float>(), tag<float>());
}

} // namespace tenfold::contract_impl
