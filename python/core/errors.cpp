#include "errors.hpp"

#include <exception>
#include <new>
#include <optional>

#include <tenfold/error.hpp>

namespace tenfold::python {
namespace {

template <class T> py::object or_none(const std::optional<T> &value) {
    return value ? py::cast(*value) : py::none();
}

py::object fields_of(const error_operand &one) {
    if (one == error_operand{})
        return py::none();
    py::dict fields;
    fields["name"] = one.name;
    fields["mode"] = or_none(one.mode);
    fields["extent"] = or_none(one.extent);
    fields["order"] = or_none(one.order);
    fields["type"] = one.type ? py::cast(std::string(name(*one.type))) : py::none();
    return fields;
}

void set_error(const error &fault) {
    const error_details &details = fault.details();
    const auto least = details.least ? std::optional(details.least->value) : std::nullopt;
    const py::object raised =
        py::module_::import("tenfold._errors")
            .attr("make_error")(std::string(name(fault.code())), fault.what(), details.label,
                                fields_of(details.first), fields_of(details.second),
                                or_none(details.position), or_none(least));
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(raised.ptr())), raised.ptr());
}

} // namespace

void translate_errors() {
    py::register_local_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(std::move(thrown));
        } catch (const error &fault) {
            set_error(fault);
        }
    });
}

void set_current_error() noexcept {
    try {
        try {
            throw;
        } catch (const error &fault) {
            set_error(fault);
        }
    } catch (py::error_already_set &raised) {
        raised.restore();
    } catch (const py::builtin_exception &fault) {
        fault.set_error();
    } catch (const std::bad_alloc &) {
        PyErr_NoMemory();
    } catch (const std::exception &fault) {
        PyErr_SetString(PyExc_RuntimeError, fault.what());
    }
}

} // namespace tenfold::python
