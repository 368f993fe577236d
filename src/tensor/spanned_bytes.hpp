// The memory between a tensor's first element and its last.
#pragma once

#include <optional>

#include <tenfold/tensor_view.hpp>

namespace tenfold::tensor_impl {

/// Bytes from the lowest element to the end of the highest one; empty where that does not fit 64
/// bits.
inline std::optional<index_t> spanned_bytes(const layout &shape, data_type type) noexcept {
    index_t span = 0;
    if (__builtin_sub_overflow(shape.highest(), shape.lowest(), &span) ||
        __builtin_add_overflow(span, 1, &span) ||
        __builtin_mul_overflow(span, size_of(type), &span))
        return std::nullopt;
    return span;
}

} // namespace tenfold::tensor_impl
