#include "quick_contract.hpp"

#include <optional>

#include "errors.hpp"
#include "numbers.hpp"
#include "plain_call.hpp"

namespace tenfold::python {
namespace {

/// A call with what contract() has beside einsum()'s arguments.
struct contract_call {
    plain_call plain;
    contract_options options = {};
};

/// Empty: the call is not so plain.
std::optional<contract_call> read_call(PyObject *const *arguments, Py_ssize_t count,
                                       PyObject *names) noexcept {
    const std::optional<plain_call> plain = read_plain_call(arguments, count);
    if (!plain)
        return std::nullopt;
    contract_call call{.plain = *plain};
    const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t k = 0; k < named; ++k) {
        PyObject *const name = PyTuple_GET_ITEM(names, k);
        PyObject *const value = arguments[count + k];
        const std::optional<scalar> number = plain_number(value);
        if (is_named(name, "out") && is_plain_output(value, *plain))
            call.plain.out = as_array(value);
        else if (is_named(name, "alpha") && number)
            call.options.alpha = *number;
        else if (is_named(name, "beta") && number)
            call.options.beta = *number;
        else
            return std::nullopt;
    }
    return call;
}

expression read_any(std::string_view text, std::span<const int> orders) {
    return expression(parse(text, orders));
}

/// Whether an output that is made for the call would do: its elements are not read, and all
/// written.
bool makes_output(const contract_call &call, const expression &read) {
    return call.options.beta.value_or(0.0) == 0.0 && !read.has_diagonal_output &&
           read.spec.operation == contraction_spec::update::assign;
}

general_function in_python;

PyObject *contract(PyObject *, PyObject *const *arguments, Py_ssize_t count,
                   PyObject *names) noexcept {
    static expression_cache known(&read_any);
    try {
        if (const std::optional<contract_call> call = read_call(arguments, count, names)) {
            const expression &read = known.find(call->plain);
            if (call->plain.out != nullptr || makes_output(*call, read))
                return contract_plainly(call->plain, read, call->options);
        }
    } catch (...) {
        set_current_error();
        return nullptr;
    }
    return in_python(arguments, count, names);
}

constexpr const char *documentation =
    R"(contract(*operands, out=None, c=None, alpha=1.0, beta=None, optimize=True, epilogue=None, **options)
--

D = alpha op(A) op(B) .. + beta op(C), for expressions in all of Tenfold's notations.

    contract("abcd=aebf*dfce", a, b)
    contract("ij+=ik*kj", a, tenfold.conj(b), out=d, alpha=0.5)

out is D; a new array if it is not given. c is C, D itself if it is not given. epilogue is a
tenfold.Epilogue, applied to D at the end. Further options: algorithm, tuning, workspace_limit
(bytes), backend, threads, reproducible, diagonal_output, broadcast. Returns `out`, or the new
array.

Raises tenfold.Error, and TypeError for other arguments. See docs/python.md.)";

PyMethodDef methods[] = {{"contract",
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&contract)),
                          METH_FASTCALL | METH_KEYWORDS, documentation},
                         {nullptr, nullptr, 0, nullptr}};

} // namespace

void define_contract(py::module_ &module) {
    if (PyModule_AddFunctions(module.ptr(), methods) != 0)
        throw py::error_already_set();
    module.def("set_general_contract", [](const py::object &function) { in_python.set(function); });
}

} // namespace tenfold::python
