// Balanced cuts.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::base {

/// Returns the first position of part i of p of [0, n): floor(i n / p). Cuts nest: part i of p
/// consists of the parts i q .. i q + q - 1 of p q, so a block of a plan's grid can be cut further
/// and still be a block of a Cartesian distribution.
constexpr index_t cut(index_t n, index_t i, index_t p) noexcept {
    index_t product = 0;
    if (!__builtin_mul_overflow(i, n, &product)) // divides in a third of the time
        return product / p;
    __extension__ using wide = __int128;
    return static_cast<index_t>(wide{i} * n / p);
}

} // namespace tenfold::base
