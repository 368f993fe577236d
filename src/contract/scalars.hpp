// alpha and beta as the tensors' type has them.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::contract_impl {

/// `value` in the precision of `type`: what f32 cannot tell from 0 is 0, whoever multiplies.
inline scalar round_to(data_type type, scalar value) noexcept {
    if (type == data_type::f64 || type == data_type::c64)
        return value;
    return {static_cast<float>(value.real()), static_cast<float>(value.imag())};
}

} // namespace tenfold::contract_impl
