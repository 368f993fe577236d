#include "quick_einsum.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "errors.hpp"
#include "plain_call.hpp"

namespace tenfold::python {
namespace {

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

/// Empty: the call is not so plain.
std::optional<plain_call> read_call(PyObject *const *arguments, Py_ssize_t count,
                                    PyObject *names) noexcept {
    std::optional<plain_call> call = read_plain_call(arguments, count);
    const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    if (!call || named == 0)
        return call;
    for (Py_ssize_t k = 0; k < named; ++k) {
        PyObject *const name = PyTuple_GET_ITEM(names, k);
        PyObject *const value = arguments[count + k];
        if (is_named(name, "out") && is_plain_output(value, *call))
            call->out = as_array(value);
        else if (is_named(name, "optimize") && PyBool_Check(value))
            call->lies_as_numpys = value == Py_False;
        else
            return std::nullopt;
    }
    const auto inputs = call->inputs();
    if (call->out != nullptr && std::any_of(inputs.begin(), inputs.end(),
                                            [&](auto *one) { return may_overlap(one, call->out); }))
        return std::nullopt;
    return call;
}

general_function in_python;

PyObject *einsum(PyObject *, PyObject *const *arguments, Py_ssize_t count,
                 PyObject *names) noexcept {
    static expression_cache known(&read_numpy);
    try {
        if (const std::optional<plain_call> call = read_call(arguments, count, names))
            return contract_plainly(*call, known.find(*call), {});
    } catch (...) {
        set_current_error();
        return nullptr;
    }
    return in_python(arguments, count, names);
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
included, Tenfold takes its own order. dtype, order and casting are numpy's. With order='K',
a large output lies as it is computed fastest, but with optimize=False as numpy's.

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
    module.def("set_general_einsum", [](const py::object &function) { in_python.set(function); });
}

} // namespace tenfold::python
