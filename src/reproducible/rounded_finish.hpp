// The last step of a complete sum of another type than D's: D is rounded once.
#pragma once

#include <tenfold/types.hpp>

#include "tensor/boxes.hpp"

namespace tenfold::reproducible_impl {

using tensor_impl::numbers;

/// alpha sum + beta op(C), in the type T of the sum.
template <class T> struct update_terms {
    T alpha;
    const T *sum; ///< null where nothing is multiplied
    numbers strides;
    T beta; ///< if it is 0, C is not read
    const void *c;
    data_type type_of_c; ///< of numbers that T holds
    bool conjugate_c;
    numbers strides_of_c;
};

struct rounded_output {
    void *d;
    data_type type;
    numbers strides;
};

/// Computes D = alpha sum + beta op(C) over a box, with each product and the sum rounded to T, and
/// the result to D's type. C may be D.
template <class T> void finish_rounded(numbers extents, const update_terms<T> &terms,
                                       const rounded_output &to, int threads) noexcept;

} // namespace tenfold::reproducible_impl
