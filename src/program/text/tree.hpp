// A program as its text says it: declarations, and statements with their factors. Names and numbers
// keep their spelling and their place, so that the text can be written again.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <tenfold/program.hpp>

namespace tenfold::program_impl {

/// Of a character, both counted from 1.
struct place {
    int line = 1;
    int column = 1;
};

/// A name or a number.
struct word {
    std::string text;
    place at;
};

/// "T[a,b,i,j]"; a scalar, "E", has no labels.
struct named {
    word name;
    std::vector<word> labels;
};

/// "P(i,j)" or "S(a,b; i,j)": adds what the line's left side becomes if the labels of all pairs are
/// exchanged at the same time. "P" subtracts it instead.
struct exchange {
    word kind;
    std::vector<std::array<word, 2>> pairs;

    bool is_antisymmetric() const noexcept { return kind.text == "P"; }
};

using factor = std::variant<word, named, exchange>; ///< a word is a number

/// A term of a sum: factors, divided element by element by another sum.
struct summand {
    place at;
    bool negative = false;
    std::vector<factor> factors;
    std::vector<summand> divisor; ///< empty: none
};

using sum = std::vector<summand>;

struct assignment {
    named target;
    std::string operation; ///< "=", "+=" or "-="
    sum value;

    bool adds() const noexcept { return operation != "="; }
};

/// "diis T1, T2 with R1, R2 keep 6".
struct extrapolation {
    place at;
    std::vector<word> tensors;
    std::vector<word> errors;
    std::optional<word> keep;
};

/// "abs(E - E_old) < 1e-10".
struct comparison {
    std::optional<word> function; ///< "abs" or "sqrt" of the left side
    sum left;
    bool less = true; ///< '<'; else '>'
    sum right;
};

/// "pack P[ab,i,j] = X[a,b,i,j]", "unpack X[a,b,i,j] += P[ab,i,j]", and both kinds at once, "pack
/// Tp[ab,ij], Tm[ab,ij] = T[a,b,i,j] with half diagonal".
struct packing {
    place at;
    bool unpacks = false;
    std::vector<named> packed; ///< one; or two, what is symmetric and what is antisymmetric
    named whole;
    std::string operation; ///< of the line: "=" or "+="
    bool half_diagonal = false;

    bool adds() const noexcept { return operation != "="; }
};

struct statement;

/// "repeat until abs(E - E_old) < 1e-10 and .. at most 50 { .. }".
struct repetition {
    place at;
    std::vector<comparison> tests; ///< all must hold
    word most;
    std::vector<statement> body;
};

struct statement {
    std::variant<assignment, extrapolation, packing, repetition> what;
};

/// "index i, j: occupied", "index ij, kl: pairs(occupied)".
struct label_declaration {
    std::vector<word> labels;
    word range;
    std::optional<word> pairs; ///< "pairs" p >= q or "strict_pairs" p > q of the range

    /// "pairs(occupied)".
    std::string range_name() const {
        return pairs ? pairs->text + "(" + range.text + ")" : range.text;
    }
};

/// "input V[a,b,i,j], eo[i]": labels, or names of ranges, say the ranges.
struct tensor_declaration {
    tensor_role role;
    std::vector<named> tensors;
};

struct tree {
    std::vector<std::variant<label_declaration, tensor_declaration>> declarations;
    std::vector<statement> body;
};

/// The number that a word spells.
double number_of(const word &spelled);
int count_of(const word &spelled);

/// "line 7, column 12: ".
std::string text_of(place at);
[[noreturn]] void fail(errc code, place at, const std::string &problem, error_details details = {});

/// Reads the text; names are not checked yet. Throws errc::syntax.
tree parse_tree(std::string_view text);

/// One line of text; of a repetition the line with its test.
std::string text_of(const statement &one);
std::string text_of(const tree &whole);

} // namespace tenfold::program_impl
