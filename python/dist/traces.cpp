#include "traces.hpp"

#include <memory>
#include <string>

#include <tenfold/dist_trace.hpp>

namespace tenfold::python {
namespace {

std::unique_ptr<dist_trace> begin(const world &where) {
    const py::gil_scoped_release unlocked;
    return std::make_unique<dist_trace>(where);
}

void write_trace(dist_trace &trace, const std::string &file) {
    const py::gil_scoped_release unlocked;
    trace.write(file);
}

/// In the order of tenfold.dist.TraceTotals.
py::tuple totals(const dist_trace &trace) {
    const trace_totals own = trace.totals();
    return py::make_tuple(own.calls, own.compute, own.pack, own.communication, own.idle, own.plan,
                          own.under_way, own.exposed, own.overlap());
}

} // namespace

void define_traces(py::module_ &module) {
    py::class_<dist_trace>(module, "Trace")
        .def(py::init(&begin))
        .def("totals", &totals)
        .def("reset_totals", &dist_trace::reset_totals)
        .def("write", &write_trace);
}

} // namespace tenfold::python
