#include "program/text/tokens.hpp"

#include <charconv>
#include <cmath>

namespace tenfold::program_impl {
namespace {

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

class scanner {
public:
    explicit scanner(std::string_view text) : text_(text) {}

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
            fail(errc::syntax, here, std::string("unexpected character '") + ahead() + "'");
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
