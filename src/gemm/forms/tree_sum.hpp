// Summation in an order that depends only on the number of terms.
#pragma once

#include "base/parallel.hpp"

namespace tenfold::gemm_impl {

/// Returns the sum of terms[i * stride] over i in `part`, computed recursively by halves. Its error
/// grows with the logarithm of the number of terms (Higham, Accuracy and Stability, section 4.2).
template <class T> T tree_sum(const T *terms, index_t stride, base::range part) noexcept {
    if (part.size() == 1)
        return terms[part.begin * stride];
    const index_t middle = part.begin + part.size() / 2;
    return tree_sum(terms, stride, {part.begin, middle}) +
           tree_sum(terms, stride, {middle, part.end});
}

} // namespace tenfold::gemm_impl
