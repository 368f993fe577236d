// Elements of any type as numbers that hold them exactly.
#pragma once

#include <type_traits>

#include <tenfold/types.hpp>

namespace tenfold::base {

/// The value of a real element, an integer's included.
template <class T> double real_value(T value) noexcept {
    static_assert(!element_traits<T>::is_complex);
    if constexpr (std::is_arithmetic_v<T>)
        return static_cast<double>(value);
    else
        return static_cast<double>(static_cast<float>(value));
}

/// The value of any element.
template <class T> scalar scalar_of(T value) noexcept {
    if constexpr (element_traits<T>::is_complex)
        return scalar(value);
    else
        return real_value(value);
}

} // namespace tenfold::base
