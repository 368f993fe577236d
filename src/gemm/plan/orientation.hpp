// The orientation in which a product is computed: D = A B or D^T = B^T A^T, and rows in order or
// reversed.
#pragma once

#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

struct orientation {
    gemm_shape shape;        ///< as it is computed
    bool transposed = false; ///< A and B are swapped
    index_t offset_a = 0;    ///< offsets in elements to the new elements (0, 0) of the new A and of
                             ///< D
                             ///< the new A
    index_t offset_d = 0;
};

/// Returns the cheaper orientation for registers of `vector_length` elements, which lie along the
/// row index of D.
orientation orient(const gemm_shape &given, index_t vector_length) noexcept;

} // namespace tenfold::gemm_impl
