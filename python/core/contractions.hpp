// Contractions with all options, and transpositions, for the package's functions in Python.
#pragma once

#include "numpy_api.hpp"

namespace tenfold::python {

void define_contractions(py::module_ &module);

} // namespace tenfold::python
