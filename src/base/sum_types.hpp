// The types in which products are summed: the arithmetic ones, and i32 for integers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/with_type.hpp"

namespace tenfold::base {

#define TENFOLD_FOR_SUM_TYPES(apply) TENFOLD_FOR_ARITHMETIC_TYPES(apply) apply(std::int32_t, i32)

/// Whether sums of T are of type T.
template <class T> constexpr bool is_sum_type =
    std::is_same_v<typename element_traits<T>::output, T>;

/// What sums of T are computed in. Those of integers are modulo 2^32, and so never overflow.
template <class T> using sum_arithmetic =
    std::conditional_t<element_traits<T>::is_integer, std::uint32_t,
                       typename element_traits<T>::output>;

/// Calls f(T{}) with the type of sums, and returns what it returns.
template <class F> auto with_sum_type(data_type type, F &&f) -> decltype(f(float{})) {
    return type == data_type::i32 ? f(std::int32_t{}) : with_arithmetic_type(type, f);
}

} // namespace tenfold::base
