// The list of all environment variables that Tenfold reads, with meaning and default, and the
// parser of the one that has a syntax of its own.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <tenfold/context.hpp>

namespace tenfold::base {

struct environment_variable {
    const char *name;
    const char *values;
    const char *standard; ///< the default
    const char *meaning;
};

/// The variables in the order in which `tenfold info` prints them.
std::span<const environment_variable> environment_variables() noexcept;

/// Of block sizes; larger than any cache can use.
constexpr index_t largest_block = index_t{1} << 20;

/// Parses "kc=256,mc=96,nc=4080": each name at most once, in any order, with values from 1 to
/// largest_block; missing ones are 0. Returns empty for any other text.
std::optional<block_sizes> parse_block_sizes(std::string_view text) noexcept;

} // namespace tenfold::base
