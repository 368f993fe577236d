// An expression of any number of inputs as a tensor network: who carries which label.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tenfold/operand.hpp>

#include "einsum/path/label_set.hpp"

namespace tenfold::einsum_impl {

/// Labels may stand in any number of operands (hyperedges); one that stands in a single operand and
/// not in the output is summed within that operand.
struct network {
    std::vector<label_set> operands;
    label_set output;
    std::vector<index_t> extents; ///< by label

    std::size_t label_count() const noexcept { return extents.size(); }
    /// Some label has extent 0: there is nothing to multiply.
    bool empty() const;
};

/// "input 3", or the name that it has in brackets, quoted.
std::string name_of_input(const contraction_spec &spec, std::size_t input);

/// Checks what a contraction of many inputs asks of its tensors, and sorts out their labels.
/// Throws errc::invalid_argument (another number of tensors than inputs, a label without a name),
/// unsupported, order_mismatch, extent_mismatch, unknown_label, type_mismatch, overflow (bytes of
/// one tensor). Messages name inputs as name_of_input() does. Pointers are not looked at, and
/// repeated labels in the output are allowed.
network make_network(const contraction_spec &spec, std::span<const input> inputs, const input &c,
                     const output &d);

} // namespace tenfold::einsum_impl
