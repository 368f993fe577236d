// Expressions over labelled modes, in four notations, which are all parsed into one
// contraction_spec.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/types.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// A label is an index into contraction_spec::label_names. parse() numbers labels by their first
/// appearance: inputs from left to right, then the output.
using label_t = int;

/// The meaning of an expression, whatever its notation:
///     output  (=, +=, -=)  scale * inputs[0] * inputs[1] * ...
/// Labels that the output lacks are summed over.
struct contraction_spec {
    enum class update : std::uint8_t { assign, add, subtract };

    std::vector<std::vector<label_t>> inputs; ///< labels of each input, mode by mode
    std::vector<label_t> output;              ///< labels of the output
    std::vector<std::string> label_names;     ///< by label: "a", or "occ" in the bracket notation
    std::vector<std::string> operand_names;   ///< inputs in order, then the output; or empty
    update operation = update::assign;
    scalar scale = 1.0;
    std::string text; ///< the original text, for messages

    /// "abcd=aebf*dfce". Uses brackets if plain letters are not enough: for operand names, labels
    /// of several characters, and inputs of order 0. It parses to an equal spec except for `text`.
    /// The scale is written with enough digits to be read back exactly; parse() does not read
    /// complex scales.
    std::string to_string() const;
};

/// Parses an expression:
///     abcd=aebf*dfce      also += and -=, a leading scalar ("ab=-0.5*ac*cb"), one to many inputs
///     aebf,dfce->abcd     NumPy; without "->" the output is implicit; "..." needs `orders`
///     abcd-aebf-dfce      TCCG: output, then the inputs
///     C[a,b]=A[a,k]*B[k,b]   labels of many characters; the operands' names may be left out
/// White space is ignored. An operand of order 0 has no labels ("=ab*ab", "ab,ab->", "C[]"); such
/// an input needs brackets or NumPy's notation. `orders` gives the number of modes of each input,
/// if known. With it, "..." is expanded to labels "...0", "...1", numbered so that the ellipses of
/// all inputs end alike (NumPy's rule, without broadcasting), and a wrong number of labels is
/// detected. Throws errc::syntax, errc::unknown_label (an output label that no input has) or
/// errc::order_mismatch. The message quotes the expression with a caret under the character.
contraction_spec parse(std::string_view text, std::span<const int> orders = {});

} // namespace tenfold
