// The pairs of element types that transpositions convert between, by name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

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

/// The types of a contraction's inputs, and of C and D. Unsigned integers are multiplied with
/// signed ones: u8 is the first input's type, and i8 that of the others.
struct contraction_types {
    data_type inputs, output;

    data_type of_input(std::size_t number) const noexcept {
        return inputs == data_type::u8 && number > 0 ? data_type::i8 : inputs;
    }
};

/// "bf16", of which the output is f32, "i8" with i32, or "bf16-f16" for another output. Throws
/// usage_error.
contraction_types parse_contraction_types(const std::string &option, const std::string &text);

/// The two types that "f32-f64" names; empty if it does not.
std::optional<element_types> two_types(const std::string &text);

} // namespace tenfold::apps_impl
