// Reading expressions for the tensors that they are given with.
#pragma once

#include <span>
#include <string_view>

#include <tenfold/contract.hpp>

namespace tenfold::contract_impl {

/// parse(), told how many modes each input has.
contraction_spec parse_for(std::string_view expression, std::span<const input> inputs);

/// Four tensors are two inputs, C and D, or three inputs and D: the expression knows.
bool has_three_inputs(std::string_view expression);

} // namespace tenfold::contract_impl
