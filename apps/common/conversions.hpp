// The element types of transpositions and contractions, by name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <tenfold/types.hpp>

namespace tenfold::apps_impl {

/// A's and B's.
struct element_types {
    data_type a, b;
};

/// "f64", or "f32-f64" where they differ.
std::string name_of(const element_types &types);

/// The conversion of a transposition that an option names, "f32-f64". Throws usage_error.
element_types parse_conversion(const std::string &option, const std::string &text);

/// The types of a contraction's inputs, and of C and D.
struct contraction_types {
    /// One for each input, or one for all of them. u8 alone is the first input's, and i8 that of
    /// the others: unsigned integers are multiplied with signed ones.
    std::vector<data_type> inputs;
    data_type output;

    data_type of_input(std::size_t number) const {
        if (inputs.size() > 1)
            return inputs.at(number);
        return inputs[0] == data_type::u8 && number > 0 ? data_type::i8 : inputs[0];
    }
    /// "bf16", or "f64,f32".
    std::string names_of_inputs() const;
};

/// "bf16", of which the output is f32, "i8" with i32, "f64,f32" for the types of two inputs, with
/// an output that holds both, or "bf16-f16" and "f32,bf16-bf16" for another output. Throws
/// usage_error.
contraction_types parse_contraction_types(const std::string &option, const std::string &text);

/// Throws usage_error if numbers of the type `sums` do not hold those of every input.
void check_sums(const std::string &option, const contraction_types &types, data_type sums);

/// The two types that "f32-f64" names; empty if it does not.
std::optional<element_types> two_types(const std::string &text);

} // namespace tenfold::apps_impl
