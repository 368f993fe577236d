// Chooses how new outputs lie in memory.
#pragma once

#include <span>

#include "arrays.hpp"
#include "expressions.hpp"

namespace tenfold::python {

/// Multiply-adds from which on a layout is chosen. Fewer take less time than the choice.
inline constexpr double layout_matters = 1 << 20;

/// An array that is read.
struct typed_array {
    PyArrayObject *array;
    data_type type;
    bool conjugated;
};

/// The nesting of a new output of type `type`: of numpy's and of those in which products of two
/// inputs may write without permuting, the one that the planner predicts to be the fastest; numpy's
/// unless another one is 10 % faster. Choices are kept, so that a repeated call finds its own. The
/// work is at least layout_matters.
nesting cheapest_nesting(const expression &read, std::span<const typed_array> inputs,
                         data_type type, nesting numpys);

/// A new array for the output of a contraction with so many multiply-adds, that lies as the
/// cheapest nesting has it, or as numpy's for little work. `given` are the arrays of which the
/// inputs were made, perhaps by conversion. Throws as new_output() of expressions.hpp.
py::object cheapest_output(const expression &read, std::span<const typed_array> inputs,
                           std::span<PyArrayObject *const> given, data_type type, double work);

void define_output_layouts(py::module_ &module);

} // namespace tenfold::python
