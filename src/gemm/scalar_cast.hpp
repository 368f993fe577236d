// Converts from interfaces without a static element type to code with one.
#pragma once

#include <complex>
#include <type_traits>

#include <tenfold/types.hpp>

namespace tenfold::gemm_impl {

template <class T> struct is_complex_type : std::false_type {};
template <class R> struct is_complex_type<std::complex<R>> : std::true_type {};

/// Returns the value as T; a real T takes the real part.
template <class T> T scalar_cast(scalar value) noexcept {
    if constexpr (is_complex_type<T>::value)
        return T(static_cast<typename T::value_type>(value.real()),
                 static_cast<typename T::value_type>(value.imag()));
    else
        return static_cast<T>(value.real());
}

/// Calls f(T{}) with the element type; ignores types for which there is no GEMM.
template <class F> void with_type(data_type type, F &&f) {
    switch (type) {
    case data_type::f32:
        return f(float{});
    case data_type::f64:
        return f(double{});
    case data_type::c32:
        return f(c32{});
    case data_type::c64:
        return f(c64{});
    case data_type::bf16:
    case data_type::f16:
        return;
    }
}

/// Returns a pointer to a 1 of the type, for kernels.
inline const void *one_of(data_type type) noexcept {
    static constexpr float single[2] = {1, 0};
    static constexpr double twofold[2] = {1, 0};
    return type == data_type::f32 || type == data_type::c32 ? static_cast<const void *>(single)
                                                            : static_cast<const void *>(twofold);
}

} // namespace tenfold::gemm_impl
