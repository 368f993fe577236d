// Broadcasting: modes of extent 1 that go with any extent of their label.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <tenfold/einsum.hpp>
#include <tenfold/operand.hpp>

namespace tenfold::einsum_impl {

/// A contraction in which every mode has the extent of its label.
struct broadcast_contraction {
    contraction_spec spec;
    std::vector<input> inputs;
    input c;
};

/// A label has the extent that inputs and D give it beside 1. An input loses modes of extent 1 of
/// such labels, so that their classes change and nothing is copied; a mode of C, and one of the
/// first input where no input has the label's extent, gets that extent and the stride 0. Returns
/// nothing if no mode is broadcast. Throws errc::order_mismatch, unsupported (more than max_modes
/// modes) and extent_mismatch (two extents other than 1, a repeated label with two extents in one
/// tensor, or D with extent 1 where an input has another). Pointers stay.
std::optional<broadcast_contraction> broadcast(const contraction_spec &spec,
                                               std::span<const input> inputs, const input &c,
                                               const output &d);

/// What tenfold::output_extents() gives.
extents_t extents_of_output(const contraction_spec &spec, std::span<const layout> inputs);

} // namespace tenfold::einsum_impl
