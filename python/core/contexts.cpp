#include "contexts.hpp"

#include <optional>
#include <string>

#include <pybind11/stl.h>

#include <tenfold/calibrate.hpp>
#include <tenfold/error.hpp>

#include "computing.hpp"
#include "keywords.hpp"

namespace tenfold::python {
namespace {

using shared_context = std::shared_ptr<context>;

PyObject *variable = nullptr; // a contextvars.ContextVar, kept until the process ends

shared_context global_context() {
    // Python's objects want what they could change, and a context has nothing of that kind.
    return {const_cast<context *>(&context::global()), [](context *) {}};
}

/// A file's name, of what open() takes for one; empty: none. Throws py::error_already_set.
std::string path_of(py::handle value) {
    if (value.is_none())
        return "";
    PyObject *name = nullptr;
    if (PyUnicode_FSConverter(value.ptr(), &name) == 0)
        throw py::error_already_set();
    return py::reinterpret_steal<py::bytes>(name);
}

py::object text_of_path(const std::string &path) {
    PyObject *text =
        PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size()));
    if (text == nullptr)
        throw py::error_already_set();
    return py::reinterpret_steal<py::object>(text);
}

/// What may be given to Context(), and where it goes.
const setters_of<settings> &setters() {
    using to = settings &;
    using from = py::handle;
    static const setters_of<settings> all{
        {"threads", [](to s, from v) { s.threads = py::cast<int>(v); }},
        {"isa",
         [](to s, from v) {
             s.isa = v.is_none() ? std::nullopt : std::optional(enumerator(v, "isa", parse_isa));
         }},
        {"backend", [](to s, from v) { s.backend = enumerator(v, "backend", parse_backend); }},
        {"workspace_limit",
         [](to s, from v) {
             s.workspace_limit =
                 v.is_none() ? settings{}.workspace_limit : byte_count{py::cast<index_t>(v)};
         }},
        {"reproducible", [](to s, from v) { s.reproducible = py::cast<bool>(v); }},
        {"plan_cache_limit",
         [](to s, from v) { s.plan_cache_limit = byte_count{py::cast<index_t>(v)}; }},
        {"wisdom", [](to s, from v) { s.wisdom = path_of(v); }},
        {"calibration", [](to s, from v) { s.calibration = path_of(v); }},
        {"log_level", [](to s, from v) { s.log_level = py::cast<int>(v); }},
        {"watchdog_seconds", [](to s, from v) { s.watchdog_seconds = py::cast<double>(v); }},
        {"presence_seconds", [](to s, from v) { s.presence_seconds = py::cast<double>(v); }}};
    return all;
}

shared_context make_context(const py::kwargs &changes) {
    const current_context now;
    settings made = (now.get() == nullptr ? context::global() : *now.get()).settings();
    set_by_keywords(made, changes, setters(), "setting");
    return std::make_shared<context>(made);
}

py::dict settings_of(const context &one) {
    const settings &all = one.settings();
    py::dict result;
    result["threads"] = one.threads();
    result["isa"] = std::string(name(one.isa()));
    result["backend"] = std::string(name(all.backend));
    result["workspace_limit"] = all.workspace_limit == settings{}.workspace_limit
                                    ? py::none()
                                    : py::object(py::cast(all.workspace_limit.value));
    result["reproducible"] = all.reproducible;
    result["plan_cache_limit"] = all.plan_cache_limit.value;
    result["wisdom"] = text_of_path(all.wisdom);
    result["calibration"] = text_of_path(all.calibration);
    result["log_level"] = all.log_level;
    result["watchdog_seconds"] = all.watchdog_seconds;
    result["presence_seconds"] = all.presence_seconds;
    return result;
}

/// The fields of `tenfold calibrate --json`.
py::dict calibrate_machine(int threads, double seconds, const py::object &file) {
    const current_context ctx;
    calibration_options options{
        .ctx = ctx.get(), .threads = threads, .seconds = seconds, .file = path_of(file)};
    calibration_result found;
    compute(long_work, "calibrate", [&](const execution_control *control) {
        options.progress = [&](int part, int parts, std::string_view) {
            control->progress(static_cast<double>(part) / parts);
        };
        found = calibrate(options);
    });
    if (!found.fault.empty())
        throw error(errc::io, found.fault);
    py::dict rates, typical, result;
    for (const measured_rate &one : found.rates) {
        const py::str name{std::string(one.name)};
        rates[name] = one.value;
        typical[name] = one.typical;
    }
    result["cpu"] = found.cpu;
    result["isa"] = std::string(name(found.isa));
    result["threads"] = found.threads;
    result["seconds"] = found.seconds;
    result["file"] = found.file.empty() ? py::object(py::none()) : text_of_path(found.file);
    result["rates"] = rates;
    result["typical"] = typical;
    return result;
}

} // namespace

current_context::current_context() {
    PyObject *value = nullptr;
    if (PyContextVar_Get(variable, nullptr, &value) != 0)
        throw py::error_already_set();
    object_ = py::reinterpret_steal<py::object>(value);
    if (!object_.is_none())
        context_ = py::cast<const context *>(object_);
}

void define_context(py::module_ &module) {
    variable = PyContextVar_New("tenfold.context", Py_None);
    if (variable == nullptr)
        throw py::error_already_set();
    module.attr("current") = py::reinterpret_borrow<py::object>(variable);
    py::class_<context, shared_context>(
        module, "Context",
        "Settings, plans and workspace that calls share. Context(threads=4, "
        "workspace_limit=2**30)\n"
        "changes settings of the current context; tenfold.use() makes it the current one.")
        .def(py::init(&make_context))
        .def_property_readonly("settings", &settings_of, "All settings, as a dict.")
        .def_property_readonly("threads", &context::threads)
        .def_property_readonly("isa", [](const context &c) { return std::string(name(c.isa())); })
        .def_property_readonly("isa_reason", &context::isa_reason)
        .def_property_readonly("rates_reason", &context::rates_reason,
                               "Where the machine's speeds come from, by which plans are priced: "
                               "tenfold.calibrate(),\n"
                               "a probe by the first plan, or typical ones.")
        .def("__repr__", [](const context &c) {
            return "<tenfold.Context " + std::string(name(c.isa())) + ", " +
                   std::to_string(c.threads()) + " threads>";
        });
    module.def("calibrate", &calibrate_machine);
    module.def("current_context", []() -> py::object {
        const current_context now;
        return now.get() != nullptr ? now.object() : py::cast(global_context());
    });
}

} // namespace tenfold::python
