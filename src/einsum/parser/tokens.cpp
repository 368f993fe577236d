#include "einsum/parser/tokens.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tenfold::einsum_impl {
namespace {

// Expressions are ASCII. <cctype> depends on the locale and is undefined for negative chars.
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool starts_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_printable(char c) { return c >= ' ' && c <= '~'; }

/// A symbol comes before its own prefixes.
constexpr std::pair<std::string_view, token_kind> symbols[] = {
    {"...", token_kind::ellipsis},    {"->", token_kind::arrow}, {"+=", token_kind::add_assign},
    {"-=", token_kind::minus_assign}, {"=", token_kind::assign}, {"*", token_kind::times},
    {"+", token_kind::plus},          {"-", token_kind::minus},  {",", token_kind::comma},
    {"[", token_kind::open},          {"]", token_kind::close},  {"(", token_kind::open_group},
    {")", token_kind::close_group},
};

std::size_t word_length(std::string_view rest) {
    std::size_t n = 0;
    while (n < rest.size() && (starts_word(rest[n]) || is_digit(rest[n])))
        ++n;
    return starts_word(rest.front()) ? n : 0;
}

/// Length of a number: digits and points, then a complete exponent if there is one. Accepts "1.2.3"
/// as a single malformed number, which gives a better message than two numbers.
std::size_t number_length(std::string_view rest) {
    const bool begins =
        is_digit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && is_digit(rest[1]));
    if (!begins)
        return 0;
    std::size_t n = 0;
    while (n < rest.size() && (is_digit(rest[n]) || rest[n] == '.'))
        ++n;
    if (n == rest.size() || (rest[n] != 'e' && rest[n] != 'E'))
        return n;
    std::size_t exponent = n + 1;
    if (exponent < rest.size() && (rest[exponent] == '+' || rest[exponent] == '-'))
        ++exponent;
    if (exponent == rest.size() || !is_digit(rest[exponent]))
        return n;
    while (exponent < rest.size() && is_digit(rest[exponent]))
        ++exponent;
    return exponent;
}

/// Returns the first token of `rest`, which is not empty; a token of length 0 if there is none.
token next_token(std::string_view rest, std::size_t position) {
    for (const auto &[symbol, kind] : symbols)
        if (rest.starts_with(symbol))
            return {kind, position, rest.substr(0, symbol.size())};
    if (const std::size_t length = word_length(rest); length > 0)
        return {token_kind::word, position, rest.substr(0, length)};
    return {token_kind::number, position, rest.substr(0, number_length(rest))};
}

std::string name_of_character(char c) {
    if (is_printable(c))
        return "character " + quoted({&c, 1});
    char text[16];
    std::snprintf(text, sizeof text, "byte 0x%02X", static_cast<unsigned>(c) & 0xffU);
    return text;
}

/// Makes the text printable on one line of a message.
std::string on_one_line(std::string_view text) {
    std::string line;
    for (const char c : text)
        line += is_space(c) ? ' ' : is_printable(c) ? c : '?';
    return line;
}

} // namespace

std::vector<token> tokenize(std::string_view text) {
    std::vector<token> tokens;
    std::size_t position = 0;
    while (position < text.size()) {
        if (is_space(text[position])) {
            ++position;
            continue;
        }
        const token found = next_token(text.substr(position), position);
        if (found.text.empty())
            fail_at(text, position, errc::syntax,
                    "unexpected " + name_of_character(text[position]));
        tokens.push_back(found);
        position += found.text.size();
    }
    tokens.push_back({token_kind::end, text.size(), {}});
    return tokens;
}

void fail_at(std::string_view text, std::size_t position, errc code, const std::string &message,
             error_details details) {
    constexpr std::size_t shown_whole = 96;
    constexpr std::size_t shown_each_side = 40;
    std::size_t begin = 0;
    std::size_t end = text.size();
    if (text.size() > shown_whole) {
        begin = position > shown_each_side ? position - shown_each_side : 0;
        end = std::min(text.size(), position + shown_each_side);
    }
    std::string line = begin > 0 ? "  ..." : "  ";
    const std::size_t caret = line.size() + (position - begin);
    line += on_one_line(text.substr(begin, end - begin));
    if (end < text.size())
        line += "...";
    details.position = position;
    throw error(code, message + "\n" + line + "\n" + std::string(caret, ' ') + "^",
                std::move(details));
}

std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 40;
    std::string result = "'";
    result += on_one_line(text.substr(0, longest));
    result += text.size() > longest ? "...'" : "'";
    return result;
}

} // namespace tenfold::einsum_impl
