// Measures how fast matrices are packed into micro-panels in the caches, which is the work of a
// matrix multiplication besides multiplying.
#pragma once

#include <tenfold/tensor.hpp>
#include <tenfold/types.hpp>

namespace tenfold::apps_impl {

struct packing_request {
    tenfold::isa isa = tenfold::isa::generic;
    int threads = 1;
    byte_count matrix; ///< size of each thread's matrix, which is read
    byte_count panels; ///< rough size of each thread's micro-panels, which are written repeatedly
};

/// Bytes that each thread reads and writes in packing_seconds().
double packing_bytes(const packing_request &request);

/// All threads pack f64 matrices, which are parts of `from`, once with contiguous columns and once
/// with contiguous rows. A matrix and its micro-panels must fit the arrays.
double packing_seconds(const packing_request &request, tensor<double> &to,
                       const tensor<double> &from);

} // namespace tenfold::apps_impl
