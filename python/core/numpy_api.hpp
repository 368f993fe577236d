// Python's and NumPy's C interfaces. All sources of the extension share one table of NumPy's
// functions, which module.cpp fills.
#pragma once

#include <pybind11/pybind11.h> // first: Python.h wants to precede standard headers

#define PY_ARRAY_UNIQUE_SYMBOL tenfold_numpy_functions
#ifndef TENFOLD_FILLS_NUMPY_TABLE
#define NO_IMPORT_ARRAY
#endif
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include <numpy/arrayobject.h>

namespace tenfold::python {

namespace py = pybind11;

inline PyArrayObject *as_array(PyObject *object) noexcept {
    return reinterpret_cast<PyArrayObject *>(object);
}
inline PyArrayObject *as_array(const py::object &object) noexcept { return as_array(object.ptr()); }

} // namespace tenfold::python
