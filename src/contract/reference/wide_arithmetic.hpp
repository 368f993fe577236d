// Arithmetic of the references: sums in a wider type than the elements', rounded once.
#pragma once

#include <cmath>
#include <complex>

#include <tenfold/types.hpp>

namespace tenfold::contract_impl {

/// What sums are formed in. Wider than the element type, so that the oracle's own rounding does not
/// matter beside that of the algorithm under test.
template <class T> struct wider {
    using element = element_traits<T>;
    using real =
        std::conditional_t<(sizeof(typename element::real) > sizeof(float)), long double, double>;
    using type = std::conditional_t<element::is_complex, std::complex<real>, real>;
};

template <class W, class T> W widen(const T &value, bool conjugate) noexcept {
    if constexpr (element_traits<T>::is_complex)
        return W(value.real(), conjugate ? -value.imag() : value.imag());
    else
        return static_cast<W>(static_cast<typename element_traits<T>::output>(value));
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

} // namespace tenfold::contract_impl
