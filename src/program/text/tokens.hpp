// The words of a program's text.
#pragma once

#include <string_view>
#include <vector>

#include "program/text/tree.hpp"

namespace tenfold::program_impl {

enum class token_kind : std::uint8_t { name, number, symbol, end };

struct token {
    token_kind kind;
    std::string text; ///< empty at the end
    place at;
};

/// Cuts a text into words; the last one is the end. '#' begins a comment, which ends with its line.
/// Throws errc::syntax for a character that begins no word, and for a number that is none.
std::vector<token> tokens_of(std::string_view text);

} // namespace tenfold::program_impl
