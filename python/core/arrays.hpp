// NumPy's arrays as tensors.
#pragma once

#include <array>
#include <optional>
#include <string>

#include <tenfold/operand.hpp>
#include <tenfold/tensor_view.hpp>

#include "numpy_api.hpp"

namespace tenfold::python {

/// The element type of an array, which may be byte-swapped. Empty: Tenfold has none for it. Arrays
/// of bf16 are of uint16 for NumPy, so that class operand says that they are meant.
std::optional<data_type> type_of(PyArrayObject *array) noexcept;
std::optional<data_type> type_of_number(int number) noexcept;
/// NumPy's number of the type; bf16 lies in arrays of uint16.
int numpy_number(data_type type) noexcept;
/// "float64", and "bfloat16": the types' names in Python.
std::string python_name(data_type type);

/// Whether the array can be used where it lies: native byte order, aligned elements, and strides
/// that are multiples of the element size.
bool lies_usably(PyArrayObject *array) noexcept;

using strides_t = std::array<index_t, NPY_MAXDIMS>;
/// Shape of an array that lies usably. Extents are the array's own; strides, in elements, go to
/// `strides`.
layout_arrays shape_of(PyArrayObject *array, strides_t &strides) noexcept;

/// Dense memory that `owner` keeps alive as an array, in Fortran order.
py::object array_on(const py::object &owner, data_type type, void *data, const extents_t &shape,
                    bool writeable);

/// The elements of an array that Python has made one of T, where it lies. Throws TypeError.
template <class T> tensor_view<T> view_of(const py::object &array) {
    if (!PyArray_Check(array.ptr()) ||
        PyArray_TYPE(as_array(array)) != numpy_number(data_type_of<T>) ||
        !lies_usably(as_array(array)))
        throw py::type_error("the array is not one of " + python_name(data_type_of<T>));
    strides_t strides;
    return {static_cast<T *>(PyArray_DATA(as_array(array))),
            shape_of(as_array(array), strides).to_layout()};
}

/// An array that is read: tenfold.Operand. Immutable.
class operand {
public:
    /// Throws TypeError (no array of a type of Tenfold's), and ValueError unless the array lies
    /// usably. `is_bf16`: elements of uint16 are the bits of bf16.
    operand(py::object array, bool conjugated, bool is_bf16);

    const py::object &array() const noexcept { return array_; }
    data_type type() const noexcept { return type_; }
    bool conjugated() const noexcept { return conjugated_; }
    PyArrayObject *numpy() const noexcept { return as_array(array_); }

    input as_input() const;
    /// Throws ValueError if the array is read-only.
    output as_output() const;
    std::string describe() const;

private:
    py::object array_;
    data_type type_;
    bool conjugated_;
};

void define_operand(py::module_ &module);

} // namespace tenfold::python
