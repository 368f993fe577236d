// Lists of random transpositions.
#pragma once

#include <vector>

#include "apps/bench/case_list.hpp"
#include "apps/bench/random_request.hpp"

namespace tenfold::apps_impl {

/// Returns r001, r002, ...: order 2 to 8, extents 1 to 500, 2^14 to 2^25 elements, any permutation
/// but the identity. The logarithm of the number of elements is uniform, as far as the order
/// allows: two modes have at most 500^2 elements. The list is the same on every machine, and a
/// shorter list is the beginning of a longer one.
std::vector<bench_case> random_transpositions(const random_request &request);

} // namespace tenfold::apps_impl
