#include "program/text/tokens.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace tenfold::program_impl {
namespace {

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Names the first character of a text, in ASCII: messages may go where other bytes mean something
/// else, or are refused. The character's number, U+2212, tells which it is; of bytes that are no
/// UTF-8, the first.
std::string character_in(std::string_view text) {
    const auto byte_at = [&](std::size_t at) {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    const std::uint32_t first = byte_at(0);
    if (first >= ' ' && first <= '~')
        return std::string("character '") + text[0] + "'";
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    std::uint32_t number = first & (0xFFU >> (length + 1));
    bool is_whole = length > 1;
    for (std::size_t at = 1; at < length; ++at) {
        is_whole = is_whole && (byte_at(at) & 0xC0U) == 0x80U;
        number = number << 6U | (byte_at(at) & 0x3FU);
    }
    char told[32];
    std::snprintf(told, sizeof told, is_whole ? "character U+%04X" : "byte 0x%02X",
                  is_whole ? number : first);
    return told;
}

class scanner {
public:
    explicit scanner(std::string_view text) : text_(text) {
        if (text.starts_with("\xEF\xBB\xBF")) // the mark with which some editors begin a file
            at_ = line_begin_ = 3;
    }

    std::vector<token> run() {
        std::vector<token> found;
        do
            found.push_back(next());
        while (found.back().kind != token_kind::end);
        return found;
    }

private:
    char ahead(std::size_t by = 0) const noexcept {
        return at_ + by < text_.size() ? text_[at_ + by] : '\0';
    }

    void skip_space() {
        while (at_ < text_.size()) {
            if (ahead() == '#') {
                while (at_ < text_.size() && ahead() != '\n')
                    ++at_;
            } else if (ahead() == '\n') {
                ++at_;
                ++line_;
                line_begin_ = at_;
            } else if (ahead() == ' ' || ahead() == '\t' || ahead() == '\r') {
                ++at_;
            } else {
                return;
            }
        }
    }

    token next() {
        skip_space();
        const place here{line_, static_cast<int>(at_ - line_begin_) + 1};
        const std::size_t begin = at_;
        const auto taken = [&](token_kind kind) {
            return token{kind, std::string(text_.substr(begin, at_ - begin)), here};
        };
        if (at_ == text_.size())
            return taken(token_kind::end);
        if (is_letter(ahead())) {
            while (is_letter(ahead()) || is_digit(ahead()) || ahead() == '_')
                ++at_;
            return taken(token_kind::name);
        }
        if (is_digit(ahead()) || (ahead() == '.' && is_digit(ahead(1)))) {
            skip_number();
            token number = taken(token_kind::number);
            number_of({number.text, here}); // throws if it is none
            return number;
        }
        if ((ahead() == '+' || ahead() == '-') && ahead(1) == '=') {
            at_ += 2;
            return taken(token_kind::symbol);
        }
        if (std::string_view("[](){},;:=+-*/<>").find(ahead()) == std::string_view::npos)
            fail(errc::syntax, here, "unexpected " + character_in(text_.substr(at_)));
        ++at_;
        return taken(token_kind::symbol);
    }

    /// Takes all that could be meant as one number.
    void skip_number() {
        while (is_letter(ahead()) || is_digit(ahead()) || ahead() == '.' ||
               ((ahead() == '+' || ahead() == '-') &&
                (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')))
            ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_begin_ = 0;
    int line_ = 1;
};

} // namespace

std::vector<token> tokens_of(std::string_view text) { return scanner(text).run(); }

double number_of(const word &spelled) {
    double value = 0;
    const char *const end = spelled.text.data() + spelled.text.size();
    const auto [rest, problem] = std::from_chars(spelled.text.data(), end, value);
    if (problem != std::errc() || rest != end || !std::isfinite(value))
        fail(errc::syntax, spelled.at, "'" + spelled.text + "' is not a number");
    return value;
}

int count_of(const word &spelled) {
    int value = 0;
    const char *const end = spelled.text.data() + spelled.text.size();
    const auto [rest, problem] = std::from_chars(spelled.text.data(), end, value);
    if (problem != std::errc() || rest != end || value < 1)
        fail(errc::syntax, spelled.at, "'" + spelled.text + "' is not a whole number above 0");
    return value;
}

std::string text_of(place at) {
    return "line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + ": ";
}

void fail(errc code, place at, const std::string &problem, error_details details) {
    throw error(code, text_of(at) + problem, std::move(details));
}

} // namespace tenfold::program_impl
