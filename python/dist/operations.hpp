// Operations on distributed tensors beside contractions: methods and functions of tenfold._dist.
#pragma once

#include "tensors.hpp"

namespace tenfold::python {

void define_operations(py::module_ &module, py::class_<tensor_object> &tensor);

} // namespace tenfold::python
