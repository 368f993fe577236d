// A scalar in memory, for C interfaces that take its address.
#pragma once

#include <array>
#include <cstddef>
#include <new>

#include <tenfold/types.hpp>

#include "base/scalars.hpp"
#include "base/with_type.hpp"

namespace tenfold::apps_impl {

/// `value` as an arithmetic type.
class scalar_value {
public:
    scalar_value(data_type type, double value) {
        base::with_arithmetic_type(type, [&]<class T>(T) {
            static_assert(sizeof(T) <= sizeof(bytes_) && alignof(T) <= alignof(c64));
            new (bytes_.data()) T(base::scalar_cast<T>(value));
        });
    }
    const void *address() const noexcept { return bytes_.data(); }

private:
    alignas(c64) std::array<std::byte, sizeof(c64)> bytes_{};
};

} // namespace tenfold::apps_impl
