// The four notations: tokens in, operands with their labels out.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <tenfold/einsum.hpp>

#include "einsum/parser/tokens.hpp"

namespace tenfold::einsum_impl {

/// A label where it stands in the text. "..." of numpy's notation is one of these until its modes
/// are counted.
struct written_label {
    std::string_view name;
    std::size_t position;

    bool is_ellipsis() const noexcept { return name == "..."; }
};

struct written_operand {
    std::string_view name; ///< in brackets only
    std::vector<written_label> labels;
    std::size_t begin = 0; ///< its characters in the text
    std::size_t end = 0;
};

/// What the text says, before labels are numbered.
struct written_expression {
    std::vector<written_operand> inputs;
    written_operand output;
    bool implicit_output = false; ///< numpy's, without "->"
    contraction_spec::update operation = contraction_spec::update::assign;
    double scale = 1.0;
};

/// Decides on the notation by the first token that only one of them has, and reads it.
/// Throws errc::syntax. O(length), without recursion.
written_expression read_expression(std::string_view text);

/// parse()'s second half: what `text` says, as `written`, with numbers for labels and modes for
/// ellipses. `orders` of all inputs, or none: they are not known. Throws as parse().
contraction_spec resolve(std::string_view text, const written_expression &written,
                         std::span<const int> orders);

} // namespace tenfold::einsum_impl
