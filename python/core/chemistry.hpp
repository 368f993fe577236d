// What the package needs of tenfold::chem: the submodule `chem`.
#pragma once

#include "numpy_api.hpp"

namespace tenfold::python {

void define_chemistry(py::module_ &module);

} // namespace tenfold::python
