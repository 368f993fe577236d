// Which loop of a contraction a label is.
#pragma once

#include <cstdint>

namespace tenfold::einsum_impl {

enum class label_class : std::uint8_t {
    batch,      ///< in A, B and D
    m,          ///< free_a: in A and D
    n,          ///< free_b: in B and D
    k,          ///< contracted: in A and B
    isolated_a, ///< in A only: summed
    isolated_b  ///< in B only: summed
};

/// Where a label stands decides (docs/semantics.md). It stands in A or in B.
constexpr label_class class_of(bool in_a, bool in_b, bool in_d) noexcept {
    if (in_a && in_b)
        return in_d ? label_class::batch : label_class::k;
    if (in_a)
        return in_d ? label_class::m : label_class::isolated_a;
    return in_d ? label_class::n : label_class::isolated_b;
}

} // namespace tenfold::einsum_impl
