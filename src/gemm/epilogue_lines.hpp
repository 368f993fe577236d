// Lines of an epilogue: how its tensors are followed along the rows or columns of a part of D, and
// elements that are not computed with as they lie.
#pragma once

#include <cstdlib>
#include <span>
#include <type_traits>

#include "gemm/epilogue.hpp"

namespace tenfold::gemm_impl {

/// How far a step's tensor can be followed in a straight line, one element of D's rows or columns
/// after the other.
struct straight_line {
    index_t step = 0;   ///< in the step's tensor
    index_t length = 1; ///< elements
};

/// Modes that all tensors can follow as one are fused, so that rows may be every n-th position of
/// one.
inline straight_line line_along(std::span<const tensor_places::mode> modes, const index_t *digits,
                                index_t stride, std::size_t number) noexcept {
    const index_t length = std::abs(stride);
    for (std::size_t k = 0; k < modes.size(); ++k) {
        const tensor_places::mode &one = modes[k];
        if (one.stride > length)
            continue;
        const index_t step = length == one.stride ? 1 : length / one.stride;
        if (step * one.stride != length)
            break;
        if (stride > 0)
            return {step * one.other[number], (one.extent - digits[k] + step - 1) / step};
        return {-step * one.other[number], digits[k] / step + 1};
    }
    return {};
}

/// Goes from the end of a line to the beginning of the next one, if that is the next position of
/// the next mode, as it mostly is. Saves the divisions of position_of().
inline bool carry(std::span<const tensor_places::mode> modes, index_t stride,
                  index_t *digits) noexcept {
    for (std::size_t k = 1; k < modes.size(); ++k) {
        if (modes[k].stride != stride)
            continue;
        if (modes[k - 1].stride != stride * modes[k].extent ||
            digits[k - 1] + 1 == modes[k - 1].extent)
            return false;
        digits[k] = 0;
        ++digits[k - 1];
        return true;
    }
    return false;
}

constexpr index_t longest_line = 1024;

/// `count` elements of X, at most longest_line, as T; `as_stored` is X's if that is another type.
template <class X, class T> void read_line(const stored_elements *as_stored, const X *from,
                                           index_t stride, index_t count, T *to) noexcept {
    if constexpr (std::is_same_v<X, T>) {
        for (index_t i = 0; i < count; ++i)
            to[i] = from[i * stride];
    } else if (stride == 1) {
        as_stored->widen(count, from, to);
    } else {
        X line[longest_line];
        for (index_t i = 0; i < count; ++i)
            line[i] = from[i * stride];
        as_stored->widen(count, line, to);
    }
}

/// The way back, rounded.
template <class X, class T> void write_line(const stored_elements *as_stored, const T *from,
                                            index_t count, X *to, index_t stride) noexcept {
    if constexpr (std::is_same_v<X, T>) {
        for (index_t i = 0; i < count; ++i)
            to[i * stride] = from[i];
    } else if (stride == 1) {
        as_stored->round(count, from, to);
    } else {
        X line[longest_line];
        as_stored->round(count, from, line);
        for (index_t i = 0; i < count; ++i)
            to[i * stride] = line[i];
    }
}

} // namespace tenfold::gemm_impl
