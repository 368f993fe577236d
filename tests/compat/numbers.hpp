// Small integers as numbers of any type: sums of their products are exact in all of them.
#pragma once

#include <complex>
#include <limits>
#include <type_traits>

#include <tenfold/types.hpp>

#include "support/random.hpp"

namespace tenfold::testing {

/// How many random cases a test has in the suite.
constexpr int usual_cases = 200;

template <class T> T small_number(random_source &random) {
    using real = typename element_traits<T>::real;
    const auto part = [&] { return static_cast<real>(random.integer(-9, 9)); };
    if constexpr (element_traits<T>::is_complex) {
        const real first = part();
        return T(first, part());
    } else {
        return part();
    }
}

/// A factor, which is often 0 or 1.
template <class T> T small_factor(random_source &random) {
    const auto kind = random.integer(0, 3);
    return kind == 0 ? T(0) : kind == 1 ? T(1) : small_number<T>(random);
}

template <class T> T conjugated_if(bool conjugate, T value) {
    if constexpr (element_traits<T>::is_complex)
        return conjugate ? std::conj(value) : value;
    else
        return value;
}

/// What no result may depend on.
template <class T> T not_a_number() {
    return T(std::numeric_limits<typename element_traits<T>::real>::quiet_NaN());
}

} // namespace tenfold::testing
