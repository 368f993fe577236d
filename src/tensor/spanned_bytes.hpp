// The bytes between a tensor's first and last element.
#pragma once

#include <optional>
#include <string>

#include <tenfold/tensor_view.hpp>

#include "base/checked.hpp"

namespace tenfold::tensor_impl {

/// Bytes from the lowest element to the end of the highest one; empty if they do not fit 64 bits.
inline std::optional<index_t> spanned_bytes(const layout &shape, data_type type) noexcept {
    index_t span = 0;
    if (__builtin_sub_overflow(shape.highest(), shape.lowest(), &span) ||
        __builtin_add_overflow(span, 1, &span) ||
        __builtin_mul_overflow(span, size_of(type), &span))
        return std::nullopt;
    return span;
}

/// Checks that byte positions fit 64 bits. Messages call the tensor `tensor`. Throws
/// errc::overflow.
inline void check_bytes(const std::string &tensor, const layout &shape, data_type type) {
    const std::string what = "bytes of " + tensor;
    base::checked_multiply(shape.size(), size_of(type), what.c_str());
    const index_t reach = base::checked_add(shape.highest() - shape.lowest(), 1, what.c_str());
    base::checked_multiply(reach, size_of(type), what.c_str());
}

} // namespace tenfold::tensor_impl
