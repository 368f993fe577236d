// Tensor networks for tests: from an expression and extents, or at random; and the search that
// needs no cleverness.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "einsum/path/path.hpp"
#include "support/random.hpp"

namespace tenfold::testing {

/// The network of `expression` where label 'a' has extent extents["a"], or `other`.
einsum_impl::network network_of(std::string_view expression,
                                const std::map<std::string, index_t> &extents, index_t other = 1);

/// Labels that stand in one to four operands, in the output or not; extents up to `most_extent`.
einsum_impl::network random_network(random_source &random, std::size_t inputs, index_t most_extent);

/// What one sequence of contractions costs.
struct sequence_cost {
    double multiply_adds, peak;
};

/// Every sequence of contractions of two tensors, with sums over an input's own labels done first
/// wherever that takes fewer multiply-adds: the cheapest one whose peak is at most `limit`. For at
/// most 7 inputs and 64 labels.
sequence_cost best_of_all(const einsum_impl::network &net, double limit);

/// The cost of a path, step by step, with all that a path promises checked on the way.
sequence_cost replay(const einsum_impl::network &net, const einsum_impl::contraction_path &path);

} // namespace tenfold::testing
