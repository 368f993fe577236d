// Tensor networks for tests, from an expression and extents or at random, and an exhaustive search.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "einsum/path/path.hpp"
#include "support/random.hpp"

namespace tenfold::testing {

/// Returns the network of `expression`, where label 'a' has extent extents["a"], or else `other`.
einsum_impl::network network_of(std::string_view expression,
                                const std::map<std::string, index_t> &extents, index_t other = 1);

/// Labels are in one to four operands, in the output or not; extents up to `most_extent`.
einsum_impl::network random_network(random_source &random, std::size_t inputs, index_t most_extent);

/// The cost of a sequence of contractions.
struct sequence_cost {
    double multiply_adds, peak;
};

/// Tries every sequence of contractions of two tensors that completes one operand of a step before
/// it begins the other, with sums over an input's own labels done first wherever that takes fewer
/// multiply-adds. Returns the cheapest one whose peak is at most `limit`. For at most 7 inputs and
/// 64 labels.
sequence_cost best_of_all(const einsum_impl::network &net, double limit);

/// Returns the cost of a path, step by step, and checks everything that a path promises.
sequence_cost replay(const einsum_impl::network &net, const einsum_impl::contraction_path &path);

} // namespace tenfold::testing
