// Generated operands: pseudo-random values that depend only on the position in the tensor, and so
// are the same on any number of ranks and threads.
#pragma once

#include <cstdint>

#include <tenfold/einsum.hpp>

#include "apps/common/host_array.hpp"

namespace tenfold::apps_impl {

/// The number of the operand that beta multiplies. The inputs are tensors 0, 1, ...
constexpr std::uint64_t generated_c = 1000;

/// The tensor that an input is: the one with its number, or with that of the first input of its
/// name.
std::uint64_t tensor_of_input(const contraction_spec &spec, std::size_t input);

/// Uniform in [-1, 1] (each part, if complex), rounded to `type`; any integers of their type. Each
/// `tensor` number gives other values; `position` counts the elements of the whole tensor in
/// column-major order.
scalar generated_value(data_type type, std::uint64_t tensor, index_t position) noexcept;

/// 64 pseudo-random bits that depend on `counter` only.
std::uint64_t generated_bits(std::uint64_t counter) noexcept;

/// Fills `block`, which lies at `offsets` in a tensor of extents `whole`.
template <class T> void fill_block(std::uint64_t tensor, const extents_t &whole,
                                   const extents_t &offsets, tensor_view<T> block);

/// Fills `data` with the elements at positions first, first + 1, ... on `threads` threads.
void generate(data_type type, std::uint64_t tensor, index_t first, index_t count, void *data,
              int threads) noexcept;

/// Returns a column-major array of generated values.
host_array generated_array(data_type type, std::uint64_t tensor, const extents_t &extents,
                           int threads);

} // namespace tenfold::apps_impl
