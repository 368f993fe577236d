#include "arrays.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace tenfold::python {
namespace {

static_assert(std::is_same_v<npy_intp, index_t>, "NumPy's extents are used where they are");

/// A new element type needs a line here.
template <class T> struct number_of;
template <> struct number_of<float> : std::integral_constant<int, NPY_FLOAT> {};
template <> struct number_of<double> : std::integral_constant<int, NPY_DOUBLE> {};
template <> struct number_of<c32> : std::integral_constant<int, NPY_CFLOAT> {};
template <> struct number_of<c64> : std::integral_constant<int, NPY_CDOUBLE> {};
template <> struct number_of<f16> : std::integral_constant<int, NPY_HALF> {};
template <> struct number_of<bf16> : std::integral_constant<int, NPY_USHORT> {};
template <> struct number_of<std::int8_t> : std::integral_constant<int, NPY_BYTE> {};
template <> struct number_of<std::uint8_t> : std::integral_constant<int, NPY_UBYTE> {};
template <> struct number_of<std::int32_t> : std::integral_constant<int, NPY_INT> {};

/// By data_type.
#define TENFOLD_NUMBER(type, name) number_of<type>::value,
constexpr int numbers[] = {TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_NUMBER)
                               TENFOLD_FOR_INTEGER_TYPES(TENFOLD_NUMBER)};
#undef TENFOLD_NUMBER

layout layout_of(PyArrayObject *array) {
    strides_t strides;
    return shape_of(array, strides).to_layout();
}

} // namespace

std::optional<data_type> type_of(PyArrayObject *array) noexcept {
    return type_of_number(PyArray_TYPE(array));
}

std::optional<data_type> type_of_number(int number) noexcept {
    for (std::size_t k = 0; k < std::size(numbers); ++k)
        if (const auto type = static_cast<data_type>(k);
            numbers[k] == number && type != data_type::bf16)
            return type;
    return std::nullopt;
}

int numpy_number(data_type type) noexcept { return numbers[static_cast<std::size_t>(type)]; }

std::string python_name(data_type type) {
    if (type == data_type::bf16)
        return "bfloat16";
    const auto descr = py::reinterpret_steal<py::object>(
        reinterpret_cast<PyObject *>(PyArray_DescrFromType(numpy_number(type))));
    return py::cast<std::string>(descr.attr("name"));
}

bool lies_usably(PyArrayObject *array) noexcept {
    if (!PyArray_ISBEHAVED_RO(array))
        return false;
    const npy_intp size = PyArray_ITEMSIZE(array); // 0 of texts and records without contents
    const npy_intp *strides = PyArray_STRIDES(array);
    return size != 0 && std::all_of(strides, strides + PyArray_NDIM(array),
                                    [&](npy_intp stride) { return stride % size == 0; });
}

layout_arrays shape_of(PyArrayObject *array, strides_t &strides) noexcept {
    const auto order = static_cast<std::size_t>(PyArray_NDIM(array));
    const npy_intp size = PyArray_ITEMSIZE(array);
    for (std::size_t k = 0; k < order; ++k)
        strides[k] = PyArray_STRIDES(array)[k] / size;
    return {.extents = {PyArray_DIMS(array), order}, .strides = strides.data()};
}

py::object array_on(const py::object &owner, data_type type, void *data, const extents_t &shape,
                    bool writeable) {
    const bool is_empty = layout(shape).empty();
    const int flags = is_empty    ? NPY_ARRAY_F_CONTIGUOUS
                      : writeable ? NPY_ARRAY_FARRAY
                                  : NPY_ARRAY_FARRAY_RO;
    PyObject *made = PyArray_New(&PyArray_Type, static_cast<int>(shape.size()),
                                 const_cast<npy_intp *>(shape.data()), numpy_number(type), nullptr,
                                 is_empty ? nullptr : data, 0, flags, nullptr);
    if (made == nullptr)
        throw py::error_already_set();
    auto array = py::reinterpret_steal<py::object>(made);
    if (!is_empty && PyArray_SetBaseObject(as_array(array), py::object(owner).release().ptr()) != 0)
        throw py::error_already_set();
    return array;
}

operand::operand(py::object array, bool conjugated, bool is_bf16)
    : array_(std::move(array)), type_(data_type::bf16), conjugated_(conjugated) {
    if (!PyArray_Check(array_.ptr()))
        throw py::type_error("an operand is a numpy array");
    const std::optional<data_type> type = type_of(numpy());
    if (is_bf16 && PyArray_TYPE(numpy()) != NPY_USHORT)
        throw py::type_error("the bits of bf16 are in arrays of uint16");
    if (!is_bf16 && !type)
        throw py::type_error("Tenfold has no element type " +
                             py::cast<std::string>(py::str(array_.attr("dtype"))));
    if (!is_bf16)
        type_ = *type;
    if (!lies_usably(numpy()))
        throw py::value_error("an operand has elements in native byte order, aligned, at strides "
                              "that are multiples of their size");
}

input operand::as_input() const {
    input plain(type_, PyArray_DATA(numpy()), layout_of(numpy()));
    return conjugated_ ? conj(std::move(plain)) : plain;
}

output operand::as_output() const {
    if (!PyArray_ISWRITEABLE(numpy()))
        throw py::value_error("output array is read-only");
    return {type_, PyArray_DATA(numpy()), layout_of(numpy())};
}

std::string operand::describe() const {
    const std::string shape = py::cast<std::string>(py::str(array_.attr("shape")));
    return "<tenfold.Operand " + python_name(type_) + " " + shape +
           (conjugated_ ? ", conjugated>" : ">");
}

void define_operand(py::module_ &module) {
    py::class_<operand>(module, "Operand",
                        "An array that is read: its type, and whether conjugated.")
        .def(py::init<py::object, bool, bool>(), py::arg("array"), py::arg("conjugated") = false,
             py::arg("bf16") = false)
        .def_property_readonly("array", &operand::array)
        .def_property_readonly("conjugated", &operand::conjugated)
        .def_property_readonly("is_bf16",
                               [](const operand &one) { return one.type() == data_type::bf16; })
        .def_property_readonly("type", [](const operand &one) { return python_name(one.type()); })
        .def("__repr__", &operand::describe);
}

} // namespace tenfold::python
