// Parses expressions for given tensors.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <tenfold/einsum.hpp>

namespace tenfold::contract_impl {

/// What the last tensor before D is.
enum class last_tensor : std::uint8_t {
    input, ///< C is D
    c,
    as_expressed ///< of three tensors: an input, if the expression has three of them
};

struct call_expression {
    contraction_spec spec;
    std::size_t inputs; ///< so many of the tensors before D; one more is C
};

/// Reads an expression once. `orders`: how many modes each tensor before D has. Throws as parse().
call_expression parse_call(std::string_view expression, std::span<const int> orders,
                           last_tensor last);

} // namespace tenfold::contract_impl
