// Tokens of an expression, and errors that point at one of its characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/error.hpp>

namespace tenfold::einsum_impl {

enum class token_kind {
    word,         ///< [A-Za-z_][A-Za-z0-9_]*: several labels, or one label in brackets
    number,       ///< starts with a digit, or with a point and a digit
    assign,       ///< =
    add_assign,   ///< +=
    minus_assign, ///< -=
    times,        ///< *
    plus,         ///< +
    minus,        ///< -
    comma,        ///< ,
    arrow,        ///< ->
    ellipsis,     ///< ...
    open,         ///< [
    close,        ///< ]
    open_group,   ///< (
    close_group,  ///< )
    end           ///< one, after the last character
};

struct token {
    token_kind kind;
    std::size_t position; ///< of its first character in the expression
    std::string_view text;
};

/// Splits an expression into tokens, without white space. Throws errc::syntax for a character that
/// no notation uses. O(length); the tokens refer to `text`.
std::vector<token> tokenize(std::string_view text);

/// Throws an error whose message ends with the expression and a caret below the character:
///     expected a label after '*'
///       abcd=aebf*
///                 ^
/// Bytes that are not printable ASCII are shown as '?', so that columns match. Of a long expression
/// only the part around the character is shown.
/// The error's details have the position, too.
[[noreturn]] void fail_at(std::string_view text, std::size_t position, errc code,
                          const std::string &message, error_details details = {});

/// The text in single quotes on one line, shortened for messages.
std::string quoted(std::string_view text);

} // namespace tenfold::einsum_impl
