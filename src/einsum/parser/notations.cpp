#include "einsum/parser/notations.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "einsum/parser/groups.hpp"

namespace tenfold::einsum_impl {
namespace {

enum class notation { assignment, numpy, tccg, bracketed };

constexpr std::string_view example_of(notation value) {
    switch (value) {
    case notation::assignment:
        return "abcd=aebf*dfce";
    case notation::numpy:
        return "aebf,dfce->abcd";
    case notation::tccg:
        return "abcd-aebf-dfce";
    case notation::bracketed:
        return "C[a,b]=A[a,k]*B[k,b]";
    }
    return {};
}

/// The notation of an expression whose first distinctive token has this kind.
std::optional<notation> announced_by(token_kind kind) {
    switch (kind) {
    case token_kind::assign:
    case token_kind::add_assign:
    case token_kind::minus_assign:
        return notation::assignment;
    case token_kind::comma:
    case token_kind::arrow:
    case token_kind::ellipsis:
        return notation::numpy;
    case token_kind::minus:
        return notation::tccg;
    case token_kind::open:
    case token_kind::close:
        return notation::bracketed;
    default:
        return std::nullopt;
    }
}

/// Whether a notation may contain a token of this kind.
bool belongs_to(notation value, token_kind kind) {
    switch (kind) {
    case token_kind::word:
    case token_kind::end:
        return true;
    case token_kind::number:
    case token_kind::assign:
    case token_kind::add_assign:
    case token_kind::minus_assign:
    case token_kind::times:
    case token_kind::plus:
    case token_kind::open_group:
    case token_kind::close_group:
        return value == notation::assignment || value == notation::bracketed;
    case token_kind::minus:
        return value != notation::numpy;
    case token_kind::comma:
    case token_kind::ellipsis: // in brackets "...0" is a label
        return value == notation::numpy || value == notation::bracketed;
    case token_kind::arrow:
        return value == notation::numpy;
    case token_kind::open:
    case token_kind::close:
        return value == notation::bracketed;
    }
    return false;
}

/// A single label string is in NumPy's notation: "ii" is a trace.
notation notation_of(std::string_view text, const std::vector<token> &tokens) {
    const auto announcing = std::find_if(tokens.begin(), tokens.end(), [](const token &t) {
        return announced_by(t.kind).has_value();
    });
    if (announcing == tokens.end()) {
        const bool only_labels = std::all_of(tokens.begin(), tokens.end(), [](const token &t) {
            return belongs_to(notation::numpy, t.kind);
        });
        return only_labels ? notation::numpy : notation::assignment;
    }
    const notation chosen = *announced_by(announcing->kind);
    for (const token &t : tokens)
        if (!belongs_to(chosen, t.kind))
            fail_at(text, t.position, errc::syntax,
                    "two notations are mixed: " + quoted(announcing->text) + " announces " +
                        std::string(example_of(chosen)) + ", where " + quoted(t.text) +
                        " has no place");
    return chosen;
}

/// Parses the tokens; one function per grammar rule.
class reader {
public:
    reader(std::string_view text, const std::vector<token> &tokens)
        : text_(text), tokens_(tokens) {}

    /// abcd += -0.5 * aebf * dfce
    written_expression assignment() {
        written_expression result;
        result.output = letters(may_be_empty);
        result.operation = update_operation();
        result.scale = leading_scalar();
        product(result, [this] { return letters(not_empty); });
        expect_end();
        return result;
    }

    /// aebf,dfce->abcd
    written_expression numpy() {
        written_expression result;
        result.broadcast = true;
        do
            result.inputs.push_back(letters_and_ellipsis());
        while (accept(token_kind::comma));
        result.implicit_output = !accept(token_kind::arrow);
        if (!result.implicit_output)
            result.output = letters_and_ellipsis();
        expect_end();
        return result;
    }

    /// abcd-aebf-dfce
    written_expression tccg() {
        written_expression result;
        result.output = letters(may_be_empty);
        while (accept(token_kind::minus))
            result.inputs.push_back(letters(not_empty));
        expect_end();
        return result;
    }

    /// C[a,b] += -0.5 * A[a,k] * B[k,b]
    written_expression bracketed() {
        written_expression result;
        result.output = brackets();
        result.operation = update_operation();
        result.scale = leading_scalar();
        product(result, [&] {
            written_operand operand = brackets();
            if (operand.name.empty() != result.output.name.empty())
                fail_at(text_, operand.begin, errc::syntax, "name all operands or none");
            return operand;
        });
        expect_end();
        return result;
    }

    /// ab, or T[a,b]
    written_operand only_operand() {
        const bool has_brackets = std::any_of(tokens_.begin(), tokens_.end(), [](const token &t) {
            return t.kind == token_kind::open;
        });
        written_operand operand = has_brackets ? brackets() : letters_and_ellipsis();
        expect_end();
        return operand;
    }

private:
    enum emptiness { may_be_empty, not_empty };

    const token &here() const { return tokens_[at_]; }

    bool accept(token_kind kind) {
        if (here().kind != kind)
            return false;
        ++at_;
        return true;
    }

    [[noreturn]] void fail_here(const std::string &message) const {
        fail_at(text_, here().position, errc::syntax, message);
    }

    [[noreturn]] void expected(const std::string &what) const {
        fail_here("expected " + what + (at_ == 0 ? "" : " after " + quoted(tokens_[at_ - 1].text)));
    }

    void expect_end() const {
        if (here().kind != token_kind::end)
            fail_here("unexpected " + quoted(here().text) +
                      (at_ == 0 ? "" : " after " + quoted(tokens_[at_ - 1].text)));
    }

    contraction_spec::update update_operation() {
        if (accept(token_kind::assign))
            return contraction_spec::update::assign;
        if (accept(token_kind::add_assign))
            return contraction_spec::update::add;
        if (accept(token_kind::minus_assign))
            return contraction_spec::update::subtract;
        expected("'=', '+=' or '-='");
    }

    /// Operands between '*', with parentheses round those that are contracted first. Without
    /// recursion, so that no expression exhausts the stack.
    template <class Operand> void product(written_expression &result, Operand operand) {
        operand_groups groups;
        do {
            while (accept(token_kind::open_group))
                groups.open(tokens_[at_ - 1].position);
            result.inputs.push_back(operand());
            groups.add_operand();
            while (groups.is_open() && accept(token_kind::close_group))
                groups.close();
        } while (accept(token_kind::times));
        if (groups.is_open() && here().kind == token_kind::end)
            fail_at(text_, groups.last_opened(), errc::syntax, "this '(' is not closed");
        if (groups.is_open())
            expected("'*' or ')'");
        result.path = std::move(groups).path();
    }

    /// Parses a sign, a number and '*', or a sign alone, or nothing.
    double leading_scalar() {
        double sign = 1.0;
        if (accept(token_kind::minus))
            sign = -1.0;
        else
            accept(token_kind::plus);
        if (here().kind != token_kind::number)
            return sign;
        const double magnitude = number();
        if (!accept(token_kind::times))
            expected("'*' and an input");
        return sign * magnitude;
    }

    double number() {
        const std::string_view digits = here().text;
        double value = 0;
        const auto [end, status] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (end != digits.data() + digits.size() || status == std::errc::invalid_argument)
            fail_here(quoted(digits) + " is not a number");
        if (status == std::errc::result_out_of_range)
            fail_here(quoted(digits) + " does not fit a double");
        ++at_;
        return value;
    }

    /// Appends the letters of one word. An operand may have several words, since white space may
    /// split it.
    void append_letters(written_operand &operand) {
        const token &word = here();
        for (std::size_t k = 0; k < word.text.size(); ++k) {
            const char c = word.text[k];
            if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z'))
                fail_at(text_, word.position + k, errc::syntax,
                        quoted({&c, 1}) + " is not a label: outside brackets a label is a letter");
            operand.labels.push_back({word.text.substr(k, 1), word.position + k});
        }
        operand.end = word.position + word.text.size();
        ++at_;
    }

    written_operand letters(emptiness rule) {
        written_operand operand;
        operand.begin = operand.end = here().position;
        if (here().kind == token_kind::number)
            fail_here("a number can only stand before the first input");
        if (here().kind != token_kind::word && rule == not_empty)
            expected("a label");
        while (here().kind == token_kind::word)
            append_letters(operand);
        return operand;
    }

    written_operand letters_and_ellipsis() {
        written_operand operand;
        operand.begin = operand.end = here().position;
        bool seen = false;
        while (here().kind == token_kind::word || here().kind == token_kind::ellipsis) {
            if (here().kind == token_kind::word) {
                append_letters(operand);
                continue;
            }
            if (seen)
                fail_here("a second '...' in one operand");
            seen = true;
            operand.labels.push_back({here().text, here().position});
            operand.end = here().position + here().text.size();
            ++at_;
        }
        return operand;
    }

    /// Name[label,label,...]; the name may be missing and the brackets may be empty.
    written_operand brackets() {
        written_operand operand;
        operand.begin = here().position;
        if (here().kind == token_kind::number)
            fail_here("a number can only stand before the first input");
        if (here().kind == token_kind::word) {
            operand.name = here().text;
            ++at_;
        }
        if (!accept(token_kind::open))
            expected(operand.name.empty() ? "an operand like A[a,b]" : "'['");
        if (here().kind != token_kind::close) {
            do
                operand.labels.push_back(bracketed_label());
            while (accept(token_kind::comma));
        }
        operand.end = here().position + here().text.size();
        if (!accept(token_kind::close))
            expected("',' or ']'");
        return operand;
    }

    /// An identifier, a number, or a label such as "...0" from an expanded NumPy "...".
    written_label bracketed_label() {
        const auto is_integer = [](const token &one) {
            return one.kind == token_kind::number &&
                   std::all_of(one.text.begin(), one.text.end(),
                               [](char c) { return c >= '0' && c <= '9'; });
        };
        const token &first = here();
        if (first.kind == token_kind::number && !is_integer(first))
            fail_here(quoted(first.text) +
                      " is not a label: in brackets a label is a name or a whole number");
        if (accept(token_kind::word) || accept(token_kind::number))
            return {first.text, first.position};
        if (!accept(token_kind::ellipsis))
            expected("a label");
        const token &digits = here();
        const bool adjacent = digits.position == first.position + first.text.size();
        if (!adjacent || !is_integer(digits) || !accept(token_kind::number))
            fail_at(text_, first.position, errc::syntax,
                    "in brackets '...' needs its number, as '...0'");
        return {text_.substr(first.position, first.text.size() + digits.text.size()),
                first.position};
    }

    std::string_view text_;
    const std::vector<token> &tokens_;
    std::size_t at_ = 0; ///< never beyond the end token
};

} // namespace

written_expression read_expression(std::string_view text) {
    const std::vector<token> tokens = tokenize(text);
    if (tokens.size() == 1)
        fail_at(text, 0, errc::syntax, "the expression is empty");
    reader in(text, tokens);
    switch (notation_of(text, tokens)) {
    case notation::assignment:
        return in.assignment();
    case notation::numpy:
        return in.numpy();
    case notation::tccg:
        return in.tccg();
    case notation::bracketed:
        return in.bracketed();
    }
    fail_at(text, 0, errc::syntax, "unknown notation");
}

written_operand read_operand(std::string_view text) {
    const std::vector<token> tokens = tokenize(text);
    return reader(text, tokens).only_operand();
}

} // namespace tenfold::einsum_impl
