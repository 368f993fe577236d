// Visits all positions of a group of modes, with each tensor's offset.
#pragma once

#include <array>

#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// Offsets, in elements, of the current position in A, B, C and D.
using offsets = std::array<index_t, einsum_impl::tensor_count>;

/// Calls body(offsets) for every position of `modes`, the first mode fastest, beginning at offsets
/// `start`. Does not allocate; recursion is at most as deep as the number of modes.
template <class Body> void for_each_position(std::span<const einsum_impl::problem_mode> modes,
                                             const offsets &start, Body &&body) {
    if (modes.empty()) {
        body(start);
        return;
    }
    const einsum_impl::problem_mode &slowest = modes.back();
    offsets at = start;
    for (index_t i = 0; i < slowest.extent; ++i) {
        for_each_position(modes.first(modes.size() - 1), at, body);
        for (std::size_t t = 0; t < at.size(); ++t)
            at[t] += slowest.stride[t];
    }
}

} // namespace tenfold::contract_impl
