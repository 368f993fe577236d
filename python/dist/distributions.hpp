// Distributions of tensors over ranks: tenfold.dist.Distribution.
#pragma once

#include <tenfold/dist_plan.hpp>

#include "core/numpy_api.hpp"

namespace tenfold::python {

/// NumPy's names of the element types of distributed tensors, in the order of data_type.
py::tuple type_names();
/// The element type of distributed tensors that a numpy.dtype names. Throws TypeError for others.
data_type element_type_of(const py::object &dtype);

/// Offsets and extents as tuples; None for a number of which the slice has no part.
py::object box_of(const slice &one);

void define_distribution(py::module_ &module);

} // namespace tenfold::python
