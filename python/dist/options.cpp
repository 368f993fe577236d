#include "options.hpp"

#include <array>
#include <utility>

#include <pybind11/stl.h>

#include "core/shared_options.hpp"

namespace tenfold::python {
namespace {

/// Options of contract(), plan() and plan_layouts(), and where they go.
const setters_of<dist_options> &setters() {
    using to = dist_options &;
    using from = py::handle;
    static const setters_of<dist_options> all = [] {
        setters_of<dist_options> own = shared_setters<dist_options>();
        own["memory_per_rank"] = [](to o, from v) {
            if (!v.is_none())
                o.memory_per_rank = byte_count{py::cast<index_t>(v)};
        };
        own["grid"] = [](to o, from v) {
            if (v.is_none())
                return;
            const auto parts = py::cast<std::array<int, 4>>(v);
            o.grid = processor_grid{.batch = parts[0], .m = parts[1], .n = parts[2], .k = parts[3]};
        };
        own["step"] = [](to o, from v) {
            if (v.is_none())
                return;
            const auto size = py::cast<std::array<index_t, 4>>(v);
            o.step = step_size{.batch = size[0], .m = size[1], .n = size[2], .k = size[3]};
        };
        own["ranks_per_node"] = [](to o, from v) {
            if (!v.is_none())
                o.ranks_per_node = py::cast<int>(v);
        };
        return own;
    }();
    return all;
}

} // namespace

options_object::options_object(const py::dict &given, epilogue_steps steps,
                               const context_object *used)
    : steps_(std::move(steps)), finish_(epilogue_of(steps_)) {
    if (used != nullptr)
        context_ = used->own;
    options_.ctx = context_.get();
    if (!finish_.steps().empty())
        options_.epilogue = &finish_;
    set_by_keywords(options_, given, setters(), "option");
}

void define_options(py::module_ &module) {
    py::class_<context_object>(module, "Context").def(py::init([](const context &other) {
        return context_object{std::make_shared<context>(other.settings())};
    }));
    py::class_<options_object>(module, "Options")
        .def(py::init<const py::dict &, epilogue_steps, const context_object *>());
}

} // namespace tenfold::python
