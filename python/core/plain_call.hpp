// Calls of einsum() and contract() that C functions serve: a text, and arrays of one type that
// Tenfold multiplies as they are. Small contractions then take less time than numpy.einsum's.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <tenfold/contract.hpp>

#include "expressions.hpp"
#include "numpy_api.hpp"

namespace tenfold::python {

inline constexpr std::size_t most_plain_inputs = 8; ///< more take so long that nobody notices

/// The contents of such a call. Refers to the arguments.
struct plain_call {
    PyObject *text_object = nullptr;
    std::string_view text = {};
    std::array<PyArrayObject *, most_plain_inputs> arrays = {};
    std::size_t count = 0;
    PyArrayObject *out = nullptr;
    data_type type = data_type::f64;
    bool lies_as_numpys = false; ///< a new output, however long that takes

    std::span<PyArrayObject *const> inputs() const noexcept { return {arrays.data(), count}; }
};

/// An array of a type with arithmetic, used as it is and where it lies.
bool is_plain(PyObject *object) noexcept;
/// Such an array that may be the call's output.
bool is_plain_output(PyObject *object, const plain_call &call) noexcept;
bool is_named(PyObject *name, const char *text) noexcept;

/// Reads the text and the arrays; empty: the call is not so plain.
std::optional<plain_call> read_plain_call(PyObject *const *arguments, Py_ssize_t count) noexcept;

/// Expressions that were read, by text and orders. Python's lock protects it.
class expression_cache {
public:
    using reader = expression (*)(std::string_view text, std::span<const int> orders);
    explicit expression_cache(reader read) : read_(read) {}

    /// Stays valid until the next call. Throws as the reader.
    const expression &find(const plain_call &call);

private:
    struct entry {
        std::string text = {};
        std::array<int, most_plain_inputs> orders = {};
        std::size_t count = 0;
        std::unique_ptr<expression> read = nullptr;
    };
    reader read_;
    std::array<entry, 1024> slots_;
};

/// Contracts, into a new array unless the call has an output. `read` is what the text says. Returns
/// a new reference: the output, or a scalar of order 0. Throws tenfold::error and
/// py::error_already_set.
PyObject *contract_plainly(const plain_call &call, const expression &read,
                           contract_options options);

/// The function in Python to which a C function passes calls that are not plain.
class general_function {
public:
    void set(const py::object &function) { function_ = py::object(function).release().ptr(); }
    /// Returns a new reference, or null with an exception set.
    PyObject *operator()(PyObject *const *arguments, Py_ssize_t count, PyObject *names) const;

private:
    PyObject *function_ = nullptr; // kept until the process ends
};

} // namespace tenfold::python
