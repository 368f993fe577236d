// Paths as people write them: by positions in a list of operands that shrinks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <tenfold/einsum.hpp>

namespace tenfold::einsum_impl {

/// A step whose tensors have numbers: an input its own, the result of step s the number of inputs
/// plus s.
using numbered_step = std::vector<std::size_t>;

/// Throws errc::invalid_argument if `path` is not a path for so many inputs: a step that is empty,
/// or names a position that is not there or the same one twice, or steps that leave more than one
/// operand. O(n log n) for n positions and inputs.
std::vector<numbered_step> numbered(const path_steps &path, std::size_t inputs);

/// The path that leaves the order free: one step of all inputs.
path_steps free_path(std::size_t inputs);

/// The inverse of numbered().
path_steps positions_of(std::span<const numbered_step> steps, std::size_t inputs);

} // namespace tenfold::einsum_impl
