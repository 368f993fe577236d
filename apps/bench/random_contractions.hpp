// Lists of random contractions.
#pragma once

#include <string>

#include "apps/bench/portable_random.hpp"
#include "apps/bench/random_request.hpp"

namespace tenfold::apps_impl {

/// The limits that all cases keep.
struct contraction_limits {
    index_t least_extent, largest_extent;
    /// Multiply-adds, as logarithms to base 2; cases are uniform in between.
    unsigned log2_least_work, log2_most_work;
    index_t most_elements; ///< of A, B and D together
};

/// 0.13 to 17 GFLOP for real types; at most 2 GiB for c64.
constexpr contraction_limits large_contractions = {2, 300, 26, 33, index_t{1} << 27};
/// The tensors fit the L1 cache, or nearly so.
constexpr contraction_limits tiny_contractions = {2, 16, 4, 16, index_t{1} << 13};

/// Returns a case list for the suite tccg, a line per case: c000, c001, ... Tensors have 2 to 7
/// modes in random order, of all classes: free, contracted, and in three of ten cases batch. One of
/// eight cases has a label in one input only, and one of eight a label twice in an input. Sums of
/// isolated labels do not count as work. The list is the same on every machine, and a shorter list
/// is the beginning of a longer one.
std::string random_contractions(const random_request &request, const contraction_limits &limits);

} // namespace tenfold::apps_impl
