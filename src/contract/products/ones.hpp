// The number 1 in every type that is multiplied; the second factor of problems with one input.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::contract_impl {

inline const void *one(data_type type) noexcept {
    static constexpr float f32_one[2] = {1, 0}; // also for c32: real and imaginary part
    static constexpr double f64_one[2] = {1, 0};
    return type == data_type::f64 || type == data_type::c64 ? static_cast<const void *>(f64_one)
                                                            : static_cast<const void *>(f32_one);
}

} // namespace tenfold::contract_impl
