// Programs of equations: tenfold._dist.Program and ProgramPlan.
#pragma once

#include "core/numpy_api.hpp"

namespace tenfold::python {

void define_programs(py::module_ &module);

} // namespace tenfold::python
