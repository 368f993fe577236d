// Plans of two dense f64 tensors.
#pragma once

#include <string_view>

#include <tenfold/tenfold.hpp>

namespace tenfold::testing {

/// Makes a plan for tensors without data.
inline contraction_plan plan_for(std::string_view expression, const extents_t &a,
                                 const extents_t &b, const extents_t &d,
                                 const contract_options &options = {}) {
    return make_plan(expression, input(data_type::f64, nullptr, layout(a)),
                     input(data_type::f64, nullptr, layout(b)),
                     output(data_type::f64, nullptr, layout(d)), options);
}

} // namespace tenfold::testing
