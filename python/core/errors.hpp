// Tenfold's errors as Python's exceptions.
#pragma once

#include "numpy_api.hpp"

namespace tenfold::python {

/// Makes exceptions of functions that pybind11 wraps Python's: tenfold._errors has the classes.
void translate_errors();

/// Sets Python's exception for the C++ exception that is being handled.
void set_current_error() noexcept;

} // namespace tenfold::python
