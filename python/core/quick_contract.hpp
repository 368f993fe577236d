// tenfold.contract: a C function for plain calls, as tenfold.einsum is. Calls with other options go
// to the general function, which is written in Python.
#pragma once

#include "numpy_api.hpp"

namespace tenfold::python {

void define_contract(py::module_ &module);

} // namespace tenfold::python
