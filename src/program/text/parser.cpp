// Reads the text of a program into its tree, by recursive descent. The grammar is in
// docs/programs.md.
#include <algorithm>

#include "program/text/tokens.hpp"

namespace tenfold::program_impl {
namespace {

/// Words of the notation, which name no tensor, label or range.
constexpr std::string_view reserved[] = {"index", "input", "output", "repeat", "until",
                                         "at",    "most",  "and",    "diis",   "with",
                                         "keep",  "abs",   "sqrt"};

bool is_reserved(std::string_view text) noexcept {
    return std::find(std::begin(reserved), std::end(reserved), text) != std::end(reserved);
}

/// Blocks inside blocks: each takes some stack, and texts may be a stranger's.
constexpr int most_blocks = 100;

class program_parser {
public:
    explicit program_parser(std::string_view text) : tokens_(tokens_of(text)) {}

    tree run() {
        tree whole;
        while (true) {
            if (take("index"))
                whole.declarations.emplace_back(labels());
            else if (take("input"))
                whole.declarations.emplace_back(tensors(tensor_role::input));
            else if (take("output"))
                whole.declarations.emplace_back(tensors(tensor_role::output));
            else
                break;
        }
        while (now().kind != token_kind::end)
            whole.body.push_back(line());
        return whole;
    }

private:
    const token &now() const noexcept { return tokens_[at_]; }
    const token &ahead() const noexcept { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }

    bool is(std::string_view text) const noexcept {
        return now().kind != token_kind::number && now().text == text;
    }
    bool take(std::string_view text) noexcept {
        const bool found = now().kind != token_kind::end && is(text);
        at_ += found ? 1 : 0;
        return found;
    }

    [[noreturn]] void expected(const std::string &what) const {
        fail(errc::syntax, now().at,
             "expected " + what + ", found " +
                 (now().kind == token_kind::end ? "the end" : "'" + now().text + "'"));
    }
    void require(std::string_view text) {
        if (!take(text))
            expected("'" + std::string(text) + "'");
    }

    word name(const std::string &what) {
        if (now().kind != token_kind::name)
            expected(what);
        if (is_reserved(now().text))
            expected(what + ", which '" + now().text + "' cannot be");
        return {now().text, tokens_[at_++].at};
    }
    word number(const std::string &what) {
        if (now().kind != token_kind::number)
            expected(what);
        return {now().text, tokens_[at_++].at};
    }

    label_declaration labels() {
        label_declaration declared;
        do
            declared.labels.push_back(name("a label"));
        while (take(","));
        require(":");
        const bool are_pairs = (is("pairs") || is("strict_pairs")) && ahead().text == "(";
        if (are_pairs) {
            declared.pairs = name("pairs");
            require("(");
        }
        declared.range = name("the name of a range");
        if (are_pairs)
            require(")");
        return declared;
    }

    tensor_declaration tensors(tensor_role role) {
        tensor_declaration declared{role, {}};
        do
            declared.tensors.push_back(tensor());
        while (take(","));
        return declared;
    }

    /// "T[a,b]" or "E".
    named tensor() {
        named found{name("the name of a tensor"), {}};
        if (!take("["))
            return found;
        if (is("]"))
            fail(errc::syntax, now().at,
                 "expected a label, found ']': scalars are written without brackets");
        do
            found.labels.push_back(name("a label"));
        while (take(","));
        require("]");
        return found;
    }

    statement line() {
        if (is("index") || is("input") || is("output"))
            fail(errc::syntax, now().at, "'" + now().text + "' stands before the first line");
        const place here = now().at;
        if (take("repeat"))
            return {repeated(here)};
        if (take("diis"))
            return {extrapolated(here)};
        // Behind a tensor of this name there is a bracket or a sign.
        if ((is("pack") || is("unpack")) && ahead().kind == token_kind::name)
            return {packed(here)};
        assignment found{tensor(), {}, {}};
        if (!is("=") && !is("+=") && !is("-="))
            expected("'=', '+=' or '-='");
        found.operation = tokens_[at_++].text;
        found.value = terms();
        return {std::move(found)};
    }

    sum terms() {
        sum found;
        found.push_back(term(take("-")));
        while (is("+") || is("-")) {
            const bool negative = is("-");
            ++at_;
            found.push_back(term(negative));
        }
        return found;
    }

    summand term(bool negative) {
        summand found{now().at, negative, {}, {}};
        do
            found.factors.push_back(one_factor());
        while (take("*"));
        if (!take("/"))
            return found;
        require("(");
        found.divisor = terms();
        require(")");
        for (const summand &part : found.divisor)
            if (!part.divisor.empty())
                fail(errc::syntax, part.at, "a divisor has no divisor of its own");
        if (is("*") || is("/"))
            fail(errc::syntax, now().at, "a divisor is the last thing of its term");
        return found;
    }

    factor one_factor() {
        if (now().kind == token_kind::number)
            return number("a number");
        const bool exchanges = (is("P") || is("S")) && ahead().text == "(";
        if (!exchanges)
            return tensor();
        exchange found{name("P"), {}};
        require("(");
        do {
            const word first = name("a label");
            require(",");
            found.pairs.push_back({first, name("a label")});
        } while (take(";"));
        require(")");
        return found;
    }

    extrapolation extrapolated(place here) {
        extrapolation found{here, {}, {}, {}};
        do
            found.tensors.push_back(name("the name of a tensor"));
        while (take(","));
        require("with");
        do
            found.errors.push_back(name("the name of a tensor"));
        while (take(","));
        if (take("keep")) {
            found.keep = number("how many vectors are kept");
            count_of(*found.keep);
        }
        return found;
    }

    packing packed(place here) {
        packing found{here, is("unpack"), {}, {}, {}, false};
        ++at_;
        const auto read_packed = [&] {
            found.packed.push_back(tensor());
            if (take(","))
                found.packed.push_back(tensor());
        };
        if (found.unpacks)
            found.whole = tensor();
        else
            read_packed();
        if (!is("=") && !(found.unpacks && is("+=")))
            expected(found.unpacks ? "'=' or '+='" : "'='");
        found.operation = tokens_[at_++].text;
        if (found.unpacks)
            read_packed();
        else
            found.whole = tensor();
        if (found.unpacks || !take("with"))
            return found;
        require("half");
        if (found.packed.size() < 2)
            fail(errc::syntax, tokens_[at_ - 1].at,
                 "half diagonals are of two tensors, as in pack P[ab,ij], M[ab,ij] = X[a,b,i,j]");
        require("diagonal");
        found.half_diagonal = true;
        return found;
    }

    repetition repeated(place here) {
        repetition found{here, {}, {}, {}};
        require("until");
        do
            found.tests.push_back(test());
        while (take("and"));
        require("at");
        require("most");
        found.most = number("how often the block is repeated");
        count_of(found.most);
        require("{");
        if (++depth_ > most_blocks)
            fail(errc::unsupported, here,
                 "more than " + std::to_string(most_blocks) + " blocks inside one another");
        while (!take("}")) {
            if (now().kind == token_kind::end)
                expected("'}' of the '{' in line " + std::to_string(here.line));
            found.body.push_back(line());
        }
        --depth_;
        if (found.body.empty())
            fail(errc::syntax, here, "a block without lines");
        return found;
    }

    comparison test() {
        comparison found;
        if (is("abs") || is("sqrt")) {
            found.function = word{now().text, now().at};
            ++at_;
            require("(");
            found.left = terms();
            require(")");
        } else {
            found.left = terms();
        }
        if (!is("<") && !is(">"))
            expected("'<' or '>'");
        found.less = take("<");
        if (!found.less)
            require(">");
        found.right = terms();
        return found;
    }

    std::vector<token> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0; ///< of blocks
};

} // namespace

tree parse_tree(std::string_view text) { return program_parser(text).run(); }

} // namespace tenfold::program_impl
