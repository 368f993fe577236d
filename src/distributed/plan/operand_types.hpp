// The element types of a contraction's tensors, and what their elements count when memory and
// messages are added up.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <tenfold/types.hpp>

#include "distributed/plan/labels.hpp"

namespace tenfold::dist_impl {

/// Types of the inputs in order, then of the output.
using operand_types = std::span<const data_type>;

/// One for each operand; by tensor_id.
using of_operands = std::array<index_t, 3>;

/// Plans count in words: of so many bytes that every element is a whole number of them. If all
/// tensors have one type, a word is an element.
struct element_words {
    index_t bytes = 1;            ///< of a word
    of_operands held{1, 1, 1};    ///< words of an element as the caller's tensor has it
    of_operands moved{1, 1, 1};   ///< when operands are redistributed: D's are sums
    of_operands product{1, 1, 1}; ///< in panels: an input that was summed over labels of its own
                                  ///< consists of sums

    index_t of_sum() const noexcept { return product[D]; }
};

/// The types of A, B and D. With one input B counts as A.
struct tensor_types {
    std::array<data_type, 3> stored{}; ///< as the caller's tensors have them
    std::array<data_type, 3> panel{};  ///< as they are multiplied; D's is that of the sums

    /// `types` are valid, of one or two inputs; `computed` is the type of the sums.
    tensor_types() = default;
    tensor_types(const labelled_problem &problem, operand_types types, data_type computed)
        : stored{types.front(), types[types.size() - 2], types.back()}, panel(stored) {
        panel[D] = computed;
        for (const tensor_id operand : {A, B})
            if (problem.panel_labels(operand).size() != problem.operands[operand].distinct.size())
                panel[operand] = computed;
    }

    /// True if sums become D's type at the end.
    bool rounds_d() const noexcept { return stored[D] != panel[D]; }

    element_words words() const noexcept {
        element_words result;
        result.bytes = size_of(panel[D]);
        for (const tensor_id operand : all_but_c) // sizes are powers of two
            result.bytes = std::min(result.bytes, size_of(stored[operand]));
        for (const tensor_id operand : all_but_c) {
            result.held[operand] = size_of(stored[operand]) / result.bytes;
            result.moved[operand] =
                operand == D ? size_of(panel[D]) / result.bytes : result.held[operand];
            result.product[operand] = size_of(panel[operand]) / result.bytes;
        }
        return result;
    }
};

} // namespace tenfold::dist_impl
