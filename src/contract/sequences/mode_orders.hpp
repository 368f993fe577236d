// Chooses the order of modes of intermediates in memory.
#pragma once

#include <vector>

#include "einsum/path/path.hpp"

namespace tenfold::contract_impl {

/// The labels of a tensor, each once, sorted by |stride| from the fastest.
std::vector<label_t> labels_by_stride(const std::vector<label_t> &labels, const layout &shape);

/// The labels of all tensors of a path, fastest first: those of the inputs (given in `inputs`, by
/// their strides), then those of the steps' results, the last of which is D.
///
/// An intermediate is written once and read once, by a contraction that needs matrices. So its
/// contracted labels are adjacent, in the order of the other operand, and its free labels are
/// adjacent, in the order of the result. Labels of both operands and the result (batch) are
/// slowest, so that each of their positions holds a whole matrix. The reading contraction does not
/// care which of the two groups is faster. The faster group is the one with the fastest label of an
/// input of the step that writes the intermediate, trying the larger input first, so that the step
/// writes along what it reads; otherwise it is the free labels.
std::vector<std::vector<label_t>> mode_orders(const einsum_impl::network &net,
                                              const einsum_impl::contraction_path &path,
                                              std::vector<std::vector<label_t>> inputs,
                                              std::vector<label_t> d);

} // namespace tenfold::contract_impl
