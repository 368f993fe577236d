// In which order the modes of intermediates lie in memory.
#pragma once

#include <vector>

#include "einsum/path/path.hpp"

namespace tenfold::contract_impl {

/// The labels of a tensor, each once, by |stride|: the fastest first.
std::vector<label_t> labels_by_stride(const std::vector<label_t> &labels, const layout &shape);

/// The labels of all tensors of an path, fastest first: inputs (in `inputs`, by their strides),
/// then the steps' results; the last one is D's.
///
/// An intermediate is written once and read once, by a contraction that wants matrices: its
/// contracted labels side by side and in the order in which the other operand has them, and so its
/// free labels, in the order in which the result has them. Labels of both and of the result (batch)
/// are the slowest, so that each position holds a whole matrix. Which of the two groups is the
/// faster one does not matter to that contraction: it is the one that holds the fastest label of
/// an input from which the intermediate comes, the larger input first, so that it is written along
/// what is read; free labels otherwise.
std::vector<std::vector<label_t>> mode_orders(const einsum_impl::network &net,
                                              const einsum_impl::contraction_path &path,
                                              std::vector<std::vector<label_t>> inputs,
                                              std::vector<label_t> d);

} // namespace tenfold::contract_impl
