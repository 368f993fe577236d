// Which way round a product is computed: D = A B or D^T = B^T A^T, and from which end.
#pragma once

#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

struct orientation {
    gemm_shape shape;        ///< as it is computed
    bool transposed = false; ///< A and B have changed places
    index_t offset_a = 0;    ///< elements to the new element (0, 0) of the new A and of D
    index_t offset_d = 0;
};

/// The cheaper way for registers of `vector_length` elements that lie along D's rows index.
orientation orient(const gemm_shape &given, index_t vector_length) noexcept;

} // namespace tenfold::gemm_impl
