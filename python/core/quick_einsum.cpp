#include "quick_einsum.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include <tenfold/contract.hpp>

#include "arrays.hpp"
#include "computing.hpp"
#include "contexts.hpp"
#include "errors.hpp"
#include "expressions.hpp"

namespace tenfold::python {
namespace {

constexpr std::size_t most_inputs = 8; // more take so long that nobody notices the general function

/// What a call of einsum(text, arrays..., out=) says, where it is so plain. Refers to the
/// arguments.
struct plain_call {
    PyObject *text_object = nullptr;
    std::string_view text = {};
    std::array<PyArrayObject *, most_inputs> arrays = {};
    std::size_t count = 0;
    PyArrayObject *out = nullptr;
    data_type type = data_type::f64;

    std::span<PyArrayObject *const> inputs() const noexcept { return {arrays.data(), count}; }
};

bool is_named(PyObject *name, const char *text) noexcept {
    return PyUnicode_CompareWithASCIIString(name, text) == 0;
}

/// An array whose elements are multiplied as they are and where they lie.
bool is_plain(PyObject *object) noexcept {
    if (!PyArray_CheckExact(object) || !lies_usably(as_array(object)))
        return false;
    const std::optional<data_type> type = type_of(as_array(object));
    return type && is_arithmetic(*type);
}

/// First and last byte of the array's elements; they need not be the array's own.
std::pair<const char *, const char *> bytes_of(PyArrayObject *array) noexcept {
    const char *low = PyArray_BYTES(array);
    const char *high = low + PyArray_ITEMSIZE(array);
    for (int k = 0; k < PyArray_NDIM(array); ++k) {
        const npy_intp extent = PyArray_DIMS(array)[k];
        if (extent == 0)
            return {low, low};
        const npy_intp reach = (extent - 1) * PyArray_STRIDES(array)[k];
        (reach < 0 ? low : high) += reach;
    }
    return {low, high};
}

/// False if the two certainly share no element.
bool may_overlap(PyArrayObject *left, PyArrayObject *right) noexcept {
    const auto [left_low, left_high] = bytes_of(left);
    const auto [right_low, right_high] = bytes_of(right);
    return left_low < right_high && right_low < left_high;
}

/// Reads the arguments; empty: the call is not so plain.
std::optional<plain_call> read_call(PyObject *const *arguments, Py_ssize_t count,
                                    PyObject *names) noexcept {
    plain_call call;
    if (count < 2 || count > static_cast<Py_ssize_t>(most_inputs) + 1 ||
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
    const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t k = 0; k < named; ++k) {
        PyObject *const value = arguments[count + k];
        if (is_named(PyTuple_GET_ITEM(names, k), "out") && is_plain(value) &&
            PyArray_ISWRITEABLE(as_array(value)) &&
            PyArray_TYPE(as_array(value)) == PyArray_TYPE(call.arrays[0]))
            call.out = as_array(value);
        else if (!is_named(PyTuple_GET_ITEM(names, k), "optimize") || !PyBool_Check(value))
            return std::nullopt;
    }
    if (call.out != nullptr && std::any_of(call.arrays.begin(), call.arrays.begin() + call.count,
                                           [&](auto *one) { return may_overlap(one, call.out); }))
        return std::nullopt;
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

/// Expressions that were read, by text and orders. Python's lock protects it.
class expression_cache {
public:
    /// Stays valid until the next call. Throws as read_numpy().
    const expression &find(const plain_call &call) {
        std::array<int, most_inputs> orders{};
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
                        read_numpy(call.text, std::span(orders).first(call.count)))};
        return *slot.read;
    }

private:
    struct entry {
        std::string text = {};
        std::array<int, most_inputs> orders = {};
        std::size_t count = 0;
        std::unique_ptr<expression> read = nullptr;
    };
    std::array<entry, 1024> slots_;
};

expression_cache &known_expressions() {
    static expression_cache cache;
    return cache;
}

/// Returns a new reference. Throws tenfold::error and py::error_already_set.
PyObject *run(const plain_call &call) {
    const expression &read = known_expressions().find(call);
    std::array<index_t, 52 + NPY_MAXDIMS> extents; // letters, and modes of an ellipsis
    const bool fit = gather_extents(read, call.inputs(), extents);
    const double work = fit ? multiply_adds({extents.data(), read.spec.label_names.size()}) : 0;
    py::object made;
    if (call.out == nullptr)
        made = new_output(read, call.inputs(), numpy_number(call.type), NPY_KEEPORDER);
    PyArrayObject *const out = call.out == nullptr ? as_array(made) : call.out;

    std::array<strides_t, most_inputs> strides;
    std::array<input_arrays, most_inputs> inputs;
    for (std::size_t k = 0; k < call.count; ++k)
        inputs[k] = {.type = call.type,
                     .shape = shape_of(call.arrays[k], strides[k]),
                     .data = PyArray_DATA(call.arrays[k])};
    strides_t out_strides;
    const output_arrays d{
        .type = call.type, .shape = shape_of(out, out_strides), .data = PyArray_DATA(out)};
    const current_context ctx;
    compute(work, [&](const execution_control *control) {
        contract(call.text.find_first_not_of(' ') == std::string_view::npos ? "->" : call.text,
                 std::span(inputs).first(call.count), nullptr, d,
                 {.ctx = ctx.get(), .control = control});
    });
    if (call.out == nullptr)
        return PyArray_Return(as_array(made.release().ptr())); // a scalar of order 0
    Py_INCREF(call.out);
    return reinterpret_cast<PyObject *>(call.out);
}

PyObject *general_function = nullptr; // kept until the process ends

PyObject *einsum(PyObject *, PyObject *const *arguments, Py_ssize_t count,
                 PyObject *names) noexcept {
    try {
        if (const std::optional<plain_call> call = read_call(arguments, count, names))
            return run(*call);
    } catch (...) {
        set_current_error();
        return nullptr;
    }
    if (general_function == nullptr) {
        PyErr_SetString(PyExc_RuntimeError, "tenfold._core is used without tenfold");
        return nullptr;
    }
    return PyObject_Vectorcall(general_function, arguments, static_cast<std::size_t>(count), names);
}

constexpr const char *documentation =
    R"(einsum(*operands, out=None, optimize=True, dtype=None, order='K', casting='safe')
--

numpy.einsum(), computed by Tenfold. Takes `einsum("ij,jk->ik", a, b)` and
`einsum(a, [0, 1], b, [1, 2], [0, 2])`, with implicit outputs, ellipses and broadcasting.

Returns a new array always, where numpy.einsum() may return a view; a scalar where the
output has no modes; `out` where it is given. Operands are arrays, what numpy.asarray()
takes, what has __dlpack__, tenfold.conj() and tenfold.bf16() of these, or torch tensors,
which give a tensor.

optimize: a path as einsum_path() gives it is taken step by step. Otherwise, False
included, Tenfold takes its own order. dtype, order and casting are numpy's.

Raises tenfold.Error, which is a ValueError where numpy raises one, and TypeError.
See docs/python.md for types and differences.)";

PyMethodDef methods[] = {{"einsum",
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&einsum)),
                          METH_FASTCALL | METH_KEYWORDS, documentation},
                         {nullptr, nullptr, 0, nullptr}};

} // namespace

void define_einsum(py::module_ &module) {
    if (PyModule_AddFunctions(module.ptr(), methods) != 0)
        throw py::error_already_set();
    module.def("set_general_einsum",
               [](const py::object &function) { general_function = function.inc_ref().ptr(); });
}

} // namespace tenfold::python
