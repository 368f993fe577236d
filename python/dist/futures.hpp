// Operations in the background: tenfold._dist.Future.
#pragma once

#include "core/numpy_api.hpp"

namespace tenfold::python {

void define_futures(py::module_ &module);

} // namespace tenfold::python
