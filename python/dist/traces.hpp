// Traces of how ranks spend their time: tenfold._dist.Trace.
#pragma once

#include "core/numpy_api.hpp"

namespace tenfold::python {

void define_traces(py::module_ &module);

} // namespace tenfold::python
