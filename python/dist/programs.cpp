#include "programs.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include <tenfold/dist_program.hpp>

#include "core/arrays.hpp"
#include "core/computing.hpp"
#include "options.hpp"
#include "tensors.hpp"
#include "worlds.hpp"

namespace tenfold::python {
namespace {

std::string name_of(tensor_role role) {
    return role == tensor_role::input    ? "input"
           : role == tensor_role::output ? "output"
                                         : "intermediate";
}

/// Name, ranges and role of each tensor.
py::list tensors_of(const program &its) {
    py::list all;
    for (const program_tensor &one : its.tensors())
        all.append(py::make_tuple(one.name, one.ranges, name_of(one.role)));
    return all;
}

program_plan plan_program(const program &equations, const range_sizes &sizes, int ranks,
                          const options_object &options, std::optional<int> repetitions,
                          bool copies, std::optional<index_t> copies_memory) {
    program_options how{
        .contraction = options.get(), .copies = {.any = copies}, .repetitions = repetitions};
    if (copies_memory)
        how.copies.memory_per_rank = bytes(*copies_memory);
    const py::gil_scoped_release unlocked;
    return make_program_plan(equations, sizes, ranks, how);
}

/// The fields of tenfold.dist.PlannedLine.
py::list lines_of(const program_plan &plan) {
    py::list all;
    for (const planned_line &one : plan.lines())
        all.append(py::make_tuple(one.line, one.text, one.times, one.seconds, one.received.value,
                                  one.peak.value));
    return all;
}

py::dict summary_of(const program_plan &plan) {
    const program_plan_summary &s = plan.summary();
    py::dict fields;
    fields["ranks"] = s.ranks;
    fields["seconds"] = s.seconds;
    fields["received"] = s.received.value;
    fields["peak"] = s.peak.value;
    return fields;
}

/// Collective. Python has checked the tensors' types. `functions` fill blocks, of which they keep
/// nothing. Returns what tenfold.dist.ProgramResult has.
py::dict run(const program_plan &plan, const world &everyone,
             const std::map<std::string, double> &numbers,
             const std::map<std::string, const tensor_object *> &tensors,
             const std::map<std::string, py::function> &functions) {
    std::map<std::string, program_input> inputs(numbers.begin(), numbers.end());
    for (const auto &[name, tensor] : tensors)
        inputs.emplace(name, &std::get<dist_tensor<double>>(tensor->any));
    called_functions called;
    for (const auto &one : functions)
        inputs.emplace(one.first, [&called, &function = one.second](const extents_t &offsets,
                                                                    tensor_view<double> block) {
            called.with_lock([&] {
                function(py::tuple(py::cast(offsets)),
                         array_on(function, data_type::f64, block.data(), block.shape().extents(),
                                  true));
            });
        });
    std::optional<program_result> done;
    compute(long_work, "program", [&](const execution_control *control) {
        called.run_without_lock([&] { done = run_program(plan, everyone, inputs, control); });
    });
    py::list lines;
    for (const executed_line &one : done->lines)
        lines.append(py::make_tuple(one.line, one.text, one.times, one.seconds, one.planned,
                                    one.received.value, one.peak.value));
    py::dict made;
    for (auto &[name, tensor] : done->tensors)
        made[py::str(name)] =
            py::cast(std::make_unique<tensor_object>(any_tensor(std::move(tensor))));
    py::dict fields;
    fields["scalars"] = done->scalars;
    fields["tensors"] = made;
    fields["converged"] = done->converged;
    fields["lines"] = lines;
    fields["peak"] = done->peak.value;
    fields["text"] = done->describe();
    return fields;
}

} // namespace

void define_programs(py::module_ &module) {
    py::class_<program>(module, "Program")
        .def(py::init([](const std::string &text) { return parse_program(text); }))
        .def_static("read", &read_program)
        .def_property_readonly("ranges", &program::ranges)
        .def_property_readonly("tensors", &tensors_of)
        .def("text", &program::to_string)
        .def("plan", &plan_program);
    py::class_<program_plan>(module, "ProgramPlan")
        .def_property_readonly("summary", &summary_of)
        .def_property_readonly("lines", &lines_of)
        .def_property_readonly("layouts", &program_plan::layouts)
        .def_property_readonly("sizes", &program_plan::sizes)
        .def("describe", &program_plan::describe)
        .def("run", &run);
}

} // namespace tenfold::python
