// tenfold.Plan's work: a contraction that is decided once, for arrays of these types, shapes and
// strides.
#pragma once

#include "numpy_api.hpp"

namespace tenfold::python {

void define_plans(py::module_ &module);

} // namespace tenfold::python
