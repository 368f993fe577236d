// Contractions that nobody chose.
#pragma once

#include <string>

#include "apps/bench/portable_random.hpp"
#include "apps/bench/random_request.hpp"

namespace tenfold::apps_impl {

/// What the cases keep to.
struct contraction_limits {
    index_t least_extent, largest_extent;
    /// Multiply-adds, as logarithms to base 2: drawn evenly in between.
    unsigned log2_least_work, log2_most_work;
    index_t most_elements; ///< of A, B and D together
};

/// 0.13 to 17 GFLOP in real types; 2 GiB in c64 at most.
constexpr contraction_limits large_contractions = {2, 300, 26, 33, index_t{1} << 27};
/// All tensors in the first-level cache, or not far from it.
constexpr contraction_limits tiny_contractions = {2, 16, 4, 16, index_t{1} << 13};

/// A case list for the suite tccg, a line per case: c000, c001, ... Tensors have 2 to 7 modes in
/// random order, of all classes: free, contracted, in three of ten cases batch; one of eight has a
/// label in one input only, one of eight a label twice in an input. What is summed beforehand is no
/// work. The same on every machine, and the first of many are those of few.
std::string random_contractions(const random_request &request, const contraction_limits &limits);

} // namespace tenfold::apps_impl
