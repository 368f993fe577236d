// The magnitude of an element.
#pragma once

#include <cmath>
#include <complex>

#include <tenfold/types.hpp>

#include "base/scalar_of.hpp"

namespace tenfold::dist_impl {

/// |x|, in double precision.
template <class T> double magnitude(T x) noexcept {
    if constexpr (is_complex(data_type_of<T>))
        return std::abs(std::complex<double>(x));
    else
        return std::abs(base::real_value(x));
}

} // namespace tenfold::dist_impl
