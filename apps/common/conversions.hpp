// The pairs of element types that transpositions convert between, by name.
#pragma once

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

/// The types of a contraction's inputs, and of C and D.
struct contraction_types {
    data_type inputs, output;
};

/// "bf16", of which the output is f32, or "bf16-f16" for another output. Throws usage_error.
contraction_types parse_contraction_types(const std::string &option, const std::string &text);

/// The two types that "f32-f64" names; empty if it does not.
std::optional<element_types> two_types(const std::string &text);

} // namespace tenfold::apps_impl
