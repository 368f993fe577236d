// alpha and beta as the tensors' type has them.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::contract_impl {

/// `value` in single precision. Volatile because GCC 12 (-O2, SLP vectorisation) takes a pair of
/// conversions from double to float and back for no conversion at all.
inline double to_single(double value) noexcept {
    const volatile float single = static_cast<float>(value);
    return static_cast<double>(single);
}

/// `value` in the precision of `type`: what f32 cannot tell from 0 is 0, whoever multiplies.
inline scalar round_to(data_type type, scalar value) noexcept {
    if (type == data_type::f64 || type == data_type::c64)
        return value;
    return {to_single(value.real()), to_single(value.imag())};
}

} // namespace tenfold::contract_impl
