// with_sum_type() for code that stores what it computes in the type of sums.
#pragma once

#include "base/sum_types.hpp"

namespace tenfold::base {

/// Calls f(Stored{}, T{}) with the type of an output's elements and that of its sums: float for
/// bf16 and f16, else the same. Not for i8 and u8, in which nothing is summed.
template <class F> void with_stored_type(data_type type, const F &f) {
    if (type == data_type::i32)
        return f(std::int32_t(), std::int32_t());
    with_type(type, [&]<class Stored>(Stored stored) {
        f(stored, typename element_traits<Stored>::output());
    });
}

} // namespace tenfold::base
