// The pairs of element types that transpositions convert between, by name.
#pragma once

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

/// From one type to another: those of transpose_plan.
std::vector<element_types> conversions();

} // namespace tenfold::apps_impl
