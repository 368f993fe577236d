// Summation in an order that the number of terms alone decides.
#pragma once

#include "base/parallel.hpp"

namespace tenfold::gemm_impl {

/// The sum of terms[i * stride] over i in `part`: halves of halves. Its error grows with the
/// logarithm of the number of terms (Higham, Accuracy and Stability, section 4.2).
template <class T> T tree_sum(const T *terms, index_t stride, base::range part) noexcept {
    if (part.size() == 1)
        return terms[part.begin * stride];
    const index_t middle = part.begin + part.size() / 2;
    return tree_sum(terms, stride, {part.begin, middle}) +
           tree_sum(terms, stride, {middle, part.end});
}

} // namespace tenfold::gemm_impl
