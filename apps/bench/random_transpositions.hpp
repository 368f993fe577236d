// Transpositions that nobody chose.
#pragma once

#include <vector>

#include "apps/bench/case_list.hpp"
#include "apps/bench/random_request.hpp"

namespace tenfold::apps_impl {

/// r001, r002, ...: order 2 to 8, extents 1 to 500, 2^14 to 2^25 elements, any permutation but the
/// identity. Elements are distributed evenly by their logarithm, as far as the order allows: two
/// modes have 500^2 elements at most. The same on every machine, and the first of many are those of
/// few.
std::vector<bench_case> random_transpositions(const random_request &request);

} // namespace tenfold::apps_impl
