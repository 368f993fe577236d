// Python's numbers as scalars.
#pragma once

#include <optional>

#include <tenfold/types.hpp>

#include "numpy_api.hpp"

namespace tenfold::python {

/// The value of a float, an int or a complex number of Python's own. Empty for other objects, and
/// for integers that no double holds.
inline std::optional<scalar> plain_number(PyObject *object) noexcept {
    if (PyFloat_CheckExact(object))
        return PyFloat_AS_DOUBLE(object);
    if (PyComplex_CheckExact(object))
        return scalar(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object));
    if (!PyLong_CheckExact(object))
        return std::nullopt;
    const double value = PyLong_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        return std::nullopt;
    }
    return value;
}

} // namespace tenfold::python
