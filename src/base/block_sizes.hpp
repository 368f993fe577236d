// Block sizes of matrix products as users write them.
#pragma once

#include <optional>
#include <string_view>

#include <tenfold/context.hpp>

namespace tenfold::base {

/// No cache holds more.
constexpr index_t largest_block = index_t{1} << 20;

/// "kc=256,mc=96,nc=4080": each once, in any order, from 1 to largest_block; what is left out is 0.
/// Empty where the text is anything else.
std::optional<block_sizes> parse_block_sizes(std::string_view text) noexcept;

} // namespace tenfold::base
