#include "plain_call.hpp"

#include "arrays.hpp"
#include "computing.hpp"
#include "contexts.hpp"
#include "output_layouts.hpp"

namespace tenfold::python {
namespace {

py::object new_output_for(const plain_call &call, const expression &read, double work) {
    if (call.lies_as_numpys || work < layout_matters || call.count != 2)
        return new_output(read, call.inputs(), numpy_number(call.type), NPY_KEEPORDER);
    const typed_array inputs[]{{call.arrays[0], call.type, false},
                               {call.arrays[1], call.type, false}};
    return cheapest_output(read, inputs, call.inputs(), call.type, work);
}

} // namespace

bool is_plain(PyObject *object) noexcept {
    if (!PyArray_CheckExact(object) || !lies_usably(as_array(object)))
        return false;
    const std::optional<data_type> type = type_of(as_array(object));
    return type && is_arithmetic(*type);
}

bool is_plain_output(PyObject *object, const plain_call &call) noexcept {
    return is_plain(object) && PyArray_ISWRITEABLE(as_array(object)) &&
           PyArray_TYPE(as_array(object)) == numpy_number(call.type);
}

bool is_named(PyObject *name, const char *text) noexcept {
    return PyUnicode_CompareWithASCIIString(name, text) == 0;
}

std::optional<plain_call> read_plain_call(PyObject *const *arguments, Py_ssize_t count) noexcept {
    plain_call call;
    if (count < 2 || count > static_cast<Py_ssize_t>(most_plain_inputs) + 1 ||
        !PyUnicode_CheckExact(arguments[0]))
        return std::nullopt;
    for (Py_ssize_t k = 1; k < count; ++k) {
        if (!is_plain(arguments[k]))
            return std::nullopt;
        call.arrays[call.count++] = as_array(arguments[k]);
        if (PyArray_TYPE(call.arrays[0]) != PyArray_TYPE(as_array(arguments[k])))
            return std::nullopt;
    }
    call.type = *type_of(call.arrays[0]);
    Py_ssize_t length = 0;
    const char *text = PyUnicode_AsUTF8AndSize(arguments[0], &length);
    if (text == nullptr) {
        PyErr_Clear(); // the general function says so again
        return std::nullopt;
    }
    call.text_object = arguments[0];
    call.text = {text, static_cast<std::size_t>(length)};
    return call;
}

const expression &expression_cache::find(const plain_call &call) {
    std::array<int, most_plain_inputs> orders{};
    auto key = static_cast<std::size_t>(PyObject_Hash(call.text_object)); // kept in the text
    for (std::size_t k = 0; k < call.count; ++k) {
        orders[k] = PyArray_NDIM(call.arrays[k]);
        key = key * 31 + static_cast<std::size_t>(orders[k]);
    }
    entry &slot = slots_[(key ^ key >> 16) % slots_.size()];
    if (slot.read == nullptr || slot.count != call.count || slot.orders != orders ||
        slot.text != call.text)
        slot = {.text = std::string(call.text),
                .orders = orders,
                .count = call.count,
                .read = std::make_unique<expression>(
                    read_(call.text, std::span(orders).first(call.count)))};
    return *slot.read;
}

PyObject *contract_plainly(const plain_call &call, const expression &read,
                           contract_options options) {
    std::array<index_t, 52 + NPY_MAXDIMS> few; // letters, and modes of an ellipsis
    std::vector<index_t> many(
        read.spec.label_names.size() > few.size() ? read.spec.label_names.size() : 0);
    const std::span<index_t> extents =
        many.empty() ? std::span(few).first(read.spec.label_names.size()) : std::span(many);
    const double work = gather_extents(read, call.inputs(), extents) ? multiply_adds(extents) : 0;
    py::object made;
    if (call.out == nullptr)
        made = new_output_for(call, read, work);
    PyArrayObject *const out = call.out == nullptr ? as_array(made) : call.out;

    std::array<strides_t, most_plain_inputs> strides;
    std::array<input_arrays, most_plain_inputs> inputs;
    for (std::size_t k = 0; k < call.count; ++k)
        inputs[k] = {.type = call.type,
                     .shape = shape_of(call.arrays[k], strides[k]),
                     .data = PyArray_DATA(call.arrays[k])};
    strides_t out_strides;
    const output_arrays d{
        .type = call.type, .shape = shape_of(out, out_strides), .data = PyArray_DATA(out)};
    const current_context ctx;
    options.ctx = ctx.get();
    // NumPy's scalar alone is a blank text.
    const bool is_blank = call.text.find_first_not_of(' ') == std::string_view::npos;
    compute(work, call.text, [&](const execution_control *control) {
        options.control = control;
        contract(is_blank ? "->" : call.text, std::span(inputs).first(call.count), nullptr, d,
                 options);
    });
    if (call.out == nullptr)
        return PyArray_Return(as_array(made.release().ptr()));
    Py_INCREF(call.out);
    return reinterpret_cast<PyObject *>(call.out);
}

PyObject *general_function::operator()(PyObject *const *arguments, Py_ssize_t count,
                                       PyObject *names) const {
    if (function_ == nullptr) {
        PyErr_SetString(PyExc_RuntimeError, "tenfold._core is used without tenfold");
        return nullptr;
    }
    return PyObject_Vectorcall(function_, arguments, static_cast<std::size_t>(count), names);
}

} // namespace tenfold::python
