// Arithmetic of the references: sums in a wider type than the elements', rounded once.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>

#include <tenfold/types.hpp>

#include "base/scalars.hpp"
#include "base/with_type.hpp"

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

/// The elements of an input, as wide numbers. T is their type, or void if only the run time knows
/// it.
template <class T, class W> class wide_elements {
public:
    wide_elements(const void *data, data_type) noexcept : data_(static_cast<const T *>(data)) {}
    W at(index_t i, bool conjugate) const noexcept { return widen<W>(data_[i], conjugate); }

private:
    const T *data_;
};

template <class W> class wide_elements<void, W> {
public:
    /// The type is real if W is.
    wide_elements(const void *data, data_type type) noexcept
        : data_(data), read_(base::with_type(type, []<class T>(T) -> read_function {
              if constexpr (element_traits<T>::is_complex && std::is_floating_point_v<W>)
                  return nullptr; // nobody asks
              else
                  return [](const void *from, index_t i, bool conjugate) noexcept {
                      return widen<W>(static_cast<const T *>(from)[i], conjugate);
                  };
          })) {}
    W at(index_t i, bool conjugate) const noexcept { return read_(data_, i, conjugate); }

private:
    using read_function = W (*)(const void *data, index_t i, bool conjugate) noexcept;

    const void *data_;
    read_function read_;
};

/// Types to compute with: TI of the inputs, void if they are of several or not multiplied as they
/// are stored, TS of the sums, and TD of D.
template <class TI, class TS, class TD> struct types {};

/// Calls f(types<TI, TS, TD>()). `inputs`: the type that all of them have, if they have one.
template <class F>
auto with_types(std::optional<data_type> inputs, data_type sums, data_type d, const F &f) {
    if (inputs && d == sums && output_type_of(*inputs) == sums)
        return base::with_type(*inputs, [&]<class TI>(TI) {
            using output = typename element_traits<TI>::output;
            return f(types<TI, output, output>());
        });
    return base::with_arithmetic_type(sums, [&]<class TS>(TS) {
        return base::with_type(d, [&]<class TD>(TD) -> decltype(f(types<void, TS, TS>())) {
            if constexpr (element_traits<TD>::is_complex == element_traits<TS>::is_complex)
                return f(types<void, TS, TD>());
            else
                __builtin_unreachable();
        });
    });
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
    if constexpr (!element_traits<T>::is_arithmetic)
        return base::round_once<T>(static_cast<double>(value));
    else if constexpr (std::is_floating_point_v<W>)
        return static_cast<T>(value);
    else
        return T(static_cast<typename T::value_type>(value.real()),
                 static_cast<typename T::value_type>(value.imag()));
}

/// The distance of 1 from the next number of T, or of its parts, and the least positive number of a
/// stored type.
template <class T> double epsilon_of() noexcept {
    if constexpr (element_traits<T>::is_arithmetic) {
        return static_cast<double>(
            std::numeric_limits<typename element_traits<T>::real>::epsilon());
    } else {
        T next(1.0F);
        ++next.bits;
        return static_cast<double>(static_cast<float>(next)) - 1;
    }
}
template <class Stored> double least_of() noexcept {
    Stored least;
    least.bits = 1;
    return static_cast<double>(static_cast<float>(least));
}

/// Returns a bound, relative to the magnitude of the terms, with what rounding sums of type TS to a
/// D of type TD adds: a unit roundoff of TD, also of the error that there is.
template <class TS, class TD> double with_rounding(double bound) noexcept {
    if constexpr (std::is_same_v<TS, TD>) {
        return bound;
    } else {
        const double unit = epsilon_of<TD>() / 2;
        return bound + unit * (1 + bound);
    }
}

/// How far a number of D is from a value that lies at `distance`, but for what D's range costs:
/// bf16 and f16 soon overflow, and f16 has few numbers below 2^-14.
template <class TD, class W>
double error_within_range(const TD &found, const W &value, double distance) noexcept {
    if constexpr (element_traits<TD>::is_arithmetic) {
        return distance;
    } else {
        if (const auto number = static_cast<float>(found);
            std::isinf(number) && number == static_cast<float>(narrow<TD>(value)))
            return 0;
        return std::isnan(distance) ? distance : std::max(0.0, distance - least_of<TD>() / 2);
    }
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
