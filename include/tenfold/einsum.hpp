// Expressions over labelled modes, in four notations, all read into one contraction_spec.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/types.hpp>

namespace tenfold {

/// A label is an index into contraction_spec::label_names. parse() numbers labels by their first
/// appearance: inputs from left to right, then the output.
using label_t = int;

/// What an expression says, whatever its notation:
///     output  (=, +=, -=)  scale * inputs[0] * inputs[1] * ...
/// Labels that the output lacks are summed over.
struct contraction_spec {
    enum class update : std::uint8_t { assign, add, subtract };

    std::vector<std::vector<label_t>> inputs; ///< labels of each input, mode by mode
    std::vector<label_t> output;              ///< labels of the output
    std::vector<std::string> label_names;     ///< by label: "a", or "occ" in brackets
    std::vector<std::string> operand_names;   ///< inputs in order, then the output; or empty
    update operation = update::assign;
    scalar scale = 1.0;
    std::string text; ///< as it was written, for messages

    /// "abcd=aebf*dfce", or with brackets where letters side by side would not do (operand names,
    /// labels of several characters, inputs of order 0): parses to an equal spec but for `text`.
    /// The scale is written with the digits that read back exactly; parse() reads no complex one.
    std::string to_string() const;
};

/// Reads an expression:
///     abcd=aebf*dfce      also += and -=, a leading scalar ("ab=-0.5*ac*cb"), one to many inputs
///     aebf,dfce->abcd     numpy; without "->" the output is implicit; "..." needs `orders`
///     abcd-aebf-dfce      TCCG: output, then the inputs
///     C[a,b]=A[a,k]*B[k,b]   labels of many characters; the operands' names may be left out
/// White space is ignored. An operand of order 0 has no labels ("=ab*ab", "ab,ab->", "C[]"); as an
/// input it needs brackets or numpy's notation. `orders` gives the number of modes of each input
/// where it is known: it expands "..." to labels "...0", "...1", counted so that the ellipses of
/// all inputs end alike (numpy's rule, without broadcasting), and finds a wrong number of labels.
/// Throws errc::syntax, errc::unknown_label (an output label that no input has) or
/// errc::order_mismatch; the message quotes the expression with a caret under the character.
contraction_spec parse(std::string_view text, std::span<const int> orders = {});

} // namespace tenfold
