// The four notations: parses tokens into operands with labels.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <tenfold/einsum.hpp>

#include "einsum/parser/tokens.hpp"

namespace tenfold::einsum_impl {

/// A label and its position in the text. The "..." of NumPy's notation is one of them until its
/// modes are counted.
struct written_label {
    std::string_view name;
    std::size_t position;

    bool is_ellipsis() const noexcept { return name == "..."; }
};

struct written_operand {
    std::string_view name; ///< only in the bracket notation
    std::vector<written_label> labels;
    std::size_t begin = 0; ///< first character in the text
    std::size_t end = 0;
};

/// A parsed expression whose labels are not yet numbered.
struct written_expression {
    std::vector<written_operand> inputs;
    written_operand output;
    bool implicit_output = false; ///< NumPy's, without "->"
    bool broadcast = false;       ///< NumPy's notation
    path_steps path;              ///< of parentheses
    contraction_spec::update operation = contraction_spec::update::assign;
    double scale = 1.0;
};

/// Determines the notation by the first token that only one of them has, and parses it. Throws
/// errc::syntax. O(length), with parentheses O(length log length), without recursion.
written_expression read_expression(std::string_view text);

/// Parses one operand: "ab", "...b", "[occ,vir]" or "T[occ,vir]"; no labels if the text is empty.
/// Throws errc::syntax.
written_operand read_operand(std::string_view text);

/// parse()'s second half: what `text` says, as `written`, with numbers for labels and modes for
/// ellipses. `orders` of all inputs, or none: they are not known. Throws as parse().
contraction_spec resolve(std::string_view text, const written_expression &written,
                         std::span<const int> orders);

} // namespace tenfold::einsum_impl
