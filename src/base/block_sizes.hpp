// Parser of block sizes.
#pragma once

#include <optional>
#include <string_view>

#include <tenfold/context.hpp>

namespace tenfold::base {

/// Larger than any cache can use.
constexpr index_t largest_block = index_t{1} << 20;

/// Parses "kc=256,mc=96,nc=4080": each name at most once, in any order, with values from 1 to
/// largest_block; missing ones are 0. Returns empty for any other text.
std::optional<block_sizes> parse_block_sizes(std::string_view text) noexcept;

} // namespace tenfold::base
