// The pairs of element types that transpositions convert between, by name.
#pragma once

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

} // namespace tenfold::apps_impl
