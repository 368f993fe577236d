#include "progress.hpp"

#include <string>

namespace tenfold::python {
namespace {

PyObject *variable = nullptr; // a contextvars.ContextVar, kept until the process ends

} // namespace

progress_report::progress_report(std::string_view title) {
    PyObject *value = nullptr;
    if (PyContextVar_Get(variable, nullptr, &value) != 0)
        throw py::error_already_set();
    const auto begin = py::reinterpret_steal<py::object>(value);
    if (!begin.is_none())
        report_ = begin(std::string(title));
}

progress_report::~progress_report() {
    if (!report_)
        return;
    const py::error_scope raised; // an exception may be on its way
    try {
        report_.attr("close")();
    } catch (py::error_already_set &failed) {
        failed.discard_as_unraisable("tenfold.progress()");
    }
}

void progress_report::update(double done) const {
    if (report_)
        report_.attr("update")(done);
}

void define_progress(py::module_ &module) {
    variable = PyContextVar_New("tenfold.progress", Py_None);
    if (variable == nullptr)
        throw py::error_already_set();
    module.attr("progress") = py::reinterpret_borrow<py::object>(variable);
}

void use_progress_of(const py::module_ &other) {
    variable = py::object(other.attr("progress")).release().ptr();
}

} // namespace tenfold::python
