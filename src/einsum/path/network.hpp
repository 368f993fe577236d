// An expression of any number of inputs as a tensor network: the labels of each tensor.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tenfold/operand.hpp>

#include "einsum/path/label_set.hpp"

namespace tenfold::einsum_impl {

/// Labels may occur in any number of operands (hyperedges). A label of one operand only that the
/// output lacks is summed within that operand.
struct network {
    std::vector<label_set> operands;
    label_set output;
    std::vector<index_t> extents; ///< by label

    std::size_t label_count() const noexcept { return extents.size(); }
    /// True if some label has extent 0, so that there is nothing to multiply.
    bool empty() const;
};

/// "input 3", or the input's name from the bracket notation, in quotes.
std::string name_of_input(const contraction_spec &spec, std::size_t input);

/// Checks the tensors of a contraction of many inputs, and collects their labels. Throws
/// errc::invalid_argument (the number of tensors differs from that of inputs, a label without a
/// name), unsupported, order_mismatch, extent_mismatch, unknown_label, type_mismatch, overflow
/// (bytes of one tensor). Messages name inputs as name_of_input() does. Pointers are ignored, and
/// repeated labels in the output are allowed.
network make_network(const contraction_spec &spec, std::span<const input> inputs, const input &c,
                     const output &d);

} // namespace tenfold::einsum_impl
