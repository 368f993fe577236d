// tenfold.einsum: a C function, so that small contractions take less time than numpy.einsum's.
// Calls that need more than a contraction go to the general function, which is written in Python.
#pragma once

#include "numpy_api.hpp"

namespace tenfold::python {

void define_einsum(py::module_ &module);

} // namespace tenfold::python
