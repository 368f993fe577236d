// Copies of a tensor share the work on its elements.
#pragma once

#include <tenfold/dist.hpp>

#include "base/parallel.hpp"

namespace tenfold::dist_impl {

/// Returns which elements of its block this rank reads in a sum over all elements, so that each
/// element is read once.
template <class T> base::range own_share(const dist_tensor<T> &tensor) {
    if (tensor.local_slice().empty()) // also of a tensor that was moved from
        return {0, 0};
    const distribution &spread = tensor.distribution();
    const int copy = spread.copy_of(tensor.owner().rank());
    if (copy < 0)
        return {0, 0};
    return base::split(tensor.local_slice().size(), spread.copies(), copy);
}

} // namespace tenfold::dist_impl
