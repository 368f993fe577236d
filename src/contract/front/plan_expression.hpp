// Parses expressions for given tensors.
#pragma once

#include <span>
#include <string_view>

#include <tenfold/contract.hpp>

namespace tenfold::contract_impl {

/// Calls parse() with the number of modes of each input.
contraction_spec parse_for(std::string_view expression, std::span<const input> inputs);

/// Whether an expression with four tensors has three inputs and D, rather than two inputs, C and D.
bool has_three_inputs(std::string_view expression);

} // namespace tenfold::contract_impl
