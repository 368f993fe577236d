// How fast matrices are packed into micro-panels: what matrix multiplication does beside
// multiplying, in the caches.
#pragma once

#include <tenfold/tensor.hpp>
#include <tenfold/types.hpp>

namespace tenfold::apps_impl {

struct packing_request {
    tenfold::isa isa = tenfold::isa::generic;
    int threads = 1;
    byte_count matrix; ///< of each thread's matrix, which is read
    byte_count panels; ///< about those that it is packed into piece by piece, again and again
};

/// Bytes that each thread reads and writes in packing_seconds().
double packing_bytes(const packing_request &request);

/// All threads pack matrices of f64, cut from `from`, once with contiguous columns and once with
/// contiguous rows. A matrix and its panels fit the arrays.
double packing_seconds(const packing_request &request, tensor<double> &to,
                       const tensor<double> &from);

} // namespace tenfold::apps_impl
