// A scalar in memory, for C interfaces that take its address.
#pragma once

#include <array>

#include <tenfold/types.hpp>

namespace tenfold::apps_impl {

/// `value` as f32, f64, c32 or c64.
class scalar_value {
public:
    scalar_value(data_type type, double value)
        : single_(type != data_type::f64 && type != data_type::c64) {
        as_double_[0] = value;
        as_float_[0] = static_cast<float>(value);
    }
    const void *address() const noexcept {
        return single_ ? static_cast<const void *>(as_float_.data())
                       : static_cast<const void *>(as_double_.data());
    }

private:
    bool single_;
    std::array<double, 2> as_double_{}; ///< real and imaginary part
    std::array<float, 2> as_float_{};
};

} // namespace tenfold::apps_impl
