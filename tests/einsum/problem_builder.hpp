// Problems from an expression and layouts, without data.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <tenfold/einsum.hpp>

#include "einsum/problem/problem.hpp"

namespace tenfold::testing {

/// The arguments of make_problem(). Set the members that differ from the default and call build().
struct problem_builder {
    std::string expression;
    std::vector<layout> inputs;
    layout d;
    std::optional<layout> c = std::nullopt; ///< empty: as d
    data_type type = data_type::f64;
    bool diagonal_output = false;

    einsum_impl::contraction_problem build() const { return build(parse(expression)); }

    einsum_impl::contraction_problem build(const contraction_spec &spec) const {
        std::vector<input> tensors;
        for (const layout &shape : inputs)
            tensors.emplace_back(type, nullptr, shape);
        return einsum_impl::make_problem(spec, tensors, {type, nullptr, c.value_or(d)},
                                         {type, nullptr, d}, diagonal_output);
    }
};

} // namespace tenfold::testing
