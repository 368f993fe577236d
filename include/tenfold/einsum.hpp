// Expressions over labelled modes, in four notations, which are all parsed into one
// contraction_spec.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/types.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// A label is an index into contraction_spec::label_names. parse() numbers labels by their first
/// appearance: inputs from left to right, then the output.
using label_t = int;

/// The most modes of a tensor in a contraction.
inline constexpr int most_modes = 64;

/// An order in which tensors are contracted, as numpy.einsum_path() and opt_einsum write it. Each
/// step names positions, from 0, in a list of operands, at first the inputs. It takes these
/// operands out of the list and appends their product; the last step leaves one operand. So
/// {{1, 2}, {0, 1}} contracts the last two of three inputs first. Tenfold chooses the order within
/// a step of more than two operands; a step of one operand only moves it to the end of the list.
using path_steps = std::vector<std::vector<int>>;

/// The meaning of an expression, whatever its notation:
///     output  (=, +=, -=)  scale * inputs[0] * inputs[1] * ...
/// Labels that the output lacks are summed over.
struct contraction_spec {
    enum class update : std::uint8_t { assign, add, subtract };

    std::vector<std::vector<label_t>> inputs; ///< labels of each input, mode by mode
    std::vector<label_t> output;              ///< labels of the output
    std::vector<std::string> label_names;     ///< by label: "a", or "occ" in the bracket notation
    /// Inputs in order, then the output; or empty. Operands of one name must be one tensor.
    std::vector<std::string> operand_names;
    update operation = update::assign;
    scalar scale = 1.0;
    std::string text;     ///< the original text, for messages
    path_steps path = {}; ///< of parentheses; empty: Tenfold chooses the order
    /// A mode of extent 1 goes with any extent of its label (NumPy's notation): contractions on one
    /// node read its only position again and again. Of an output only C may have such a mode.
    bool broadcast = false;

    /// "abcd=aebf*dfce". Uses brackets if plain letters are not enough: for operand names, labels
    /// of several characters, and inputs of order 0. It parses to an equal spec except for `text`
    /// and `broadcast`. The scale is written with enough digits to be read back exactly; parse()
    /// does not read complex scales. A path is written if parentheses can say it, that is if each
    /// of its steps takes neighbours.
    std::string to_string() const;
};

/// Parses an expression:
///     abcd=aebf*dfce      also += and -=, a leading scalar ("ab=-0.5*ac*cb"), one to many inputs
///     aebf,dfce->abcd     NumPy; without "->" the output is implicit; "..." needs `orders`
///     abcd-aebf-dfce      TCCG: output, then the inputs
///     C[a,b]=A[a,k]*B[k,b]   labels of many characters, or numbers; names may be left out, and
///                            otherwise say which operands are one tensor
/// In the first and the last of them, parentheses say what is contracted first: "ab=(ac*cd)*db".
/// White space is ignored. An operand of order 0 has no labels ("=ab*ab", "ab,ab->", "C[]"); such
/// an input needs brackets or NumPy's notation. `orders` gives the number of modes of each input,
/// if known. With it, "..." is expanded to labels "...0", "...1", numbered so that the ellipses of
/// all inputs end alike (NumPy's rule), and a wrong number of labels is detected. Throws
/// errc::syntax, errc::unknown_label (an output label that no input has) or errc::order_mismatch.
/// The message quotes the expression with a caret under the character.
contraction_spec parse(std::string_view text, std::span<const int> orders = {});

/// In label_lists: NumPy's "...".
inline constexpr label_t ellipsis = -1;

/// NumPy's form without letters: einsum(A, [0, 1], B, [1, 2], [0, 2]) has the inputs {{0, 1},
/// {1, 2}} and the output {0, 2}. Labels are any numbers from 0 on.
struct label_lists {
    std::vector<std::vector<label_t>> inputs;
    /// Empty: the modes of ellipses, then in ascending order the labels that appear once.
    std::optional<std::vector<label_t>> output = std::nullopt;
};

/// What the lists say, by the rules of NumPy's notation; labels are named "0", "1" and so on:
///     contract(parse({.inputs = {{0, 1}, {1, 2}}}), std::array<input, 2>{A, B}, D);
/// Throws as the other parse(), with the lists as text, and errc::invalid_argument (a negative
/// label, no inputs).
contraction_spec parse(const label_lists &labels, std::span<const int> orders = {});

} // namespace tenfold
