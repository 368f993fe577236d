// Boxes of positions: balanced cuts and intersections.
#pragma once

#include <tenfold/dist_plan.hpp>

namespace tenfold::dist_impl {

/// Returns the first position of part i of p of [0, n): floor(i n / p). Cuts nest: part i of p
/// consists of the parts i q .. i q + q - 1 of p q, so a block of a plan's grid can be cut further
/// and still be a block of a Cartesian distribution.
constexpr index_t cut(index_t n, index_t i, index_t p) noexcept {
    __extension__ using wide = __int128; // i n may exceed 64 bits
    return static_cast<index_t>(wide{i} * n / p);
}

/// The elements that both boxes contain; both have the same order.
slice intersect(const slice &a, const slice &b);
index_t intersection_size(const slice &a, const slice &b) noexcept;

/// Returns "(3, 4)".
std::string list(const extents_t &numbers);

} // namespace tenfold::dist_impl
