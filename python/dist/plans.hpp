// Contractions of distributed tensors, their plans, and layouts for several of them.
#pragma once

#include "core/numpy_api.hpp"

namespace tenfold::python {

void define_plans(py::module_ &module);

} // namespace tenfold::python
