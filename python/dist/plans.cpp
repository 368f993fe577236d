#include "plans.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include <tenfold/dist.hpp>
#include <tenfold/dist_json.hpp>
#include <tenfold/dist_layouts.hpp>
#include <tenfold/dist_mixed.hpp>

#include "core/arrays.hpp"
#include "core/computing.hpp"
#include "distributions.hpp"
#include "options.hpp"
#include "tensors.hpp"

namespace tenfold::python {
namespace {

contraction_spec read(const std::string &expression, const std::vector<extents_t> &shapes) {
    std::vector<int> orders;
    for (const extents_t &one : shapes)
        orders.push_back(static_cast<int>(one.size()));
    return parse(expression, orders);
}

/// Multiply-adds of one loop nest over all labels. 0 for what contract() will refuse. All ranks
/// have the same number.
double multiply_adds(const std::string &expression, const inputs_t &inputs) {
    try {
        std::vector<extents_t> shapes;
        for (const auto &one : inputs)
            shapes.push_back(one.first->distribution().extents());
        const contraction_spec spec = read(expression, shapes);
        std::vector<double> extents(spec.label_names.size(), 1);
        for (std::size_t k = 0; k < shapes.size(); ++k)
            for (std::size_t mode = 0; mode < spec.inputs[k].size(); ++mode)
                extents[static_cast<std::size_t>(spec.inputs[k][mode])] =
                    static_cast<double>(shapes[k][mode]);
        double product = 1;
        for (const double extent : extents)
            product *= extent;
        return product;
    } catch (const error &) {
        return 0;
    }
}

/// tenfold.dist.Plan's: a plan, for any number of ranks.
struct plan_object {
    std::string expression;
    dist_sequence made;
};

/// What tenfold.dist.Report says; the sums over steps are Python's.
py::dict report_of(const std::string &expression, const dist_sequence_report &done) {
    py::list steps;
    for (const dist_report &step : done.steps)
        steps.append(report_fields(step));
    py::dict fields;
    fields["seconds"] = done.seconds_max;
    fields["bytes_received"] = done.bytes_received_max.value;
    fields["redistribution_bytes"] = done.redistribution_max.value;
    fields["peak_bytes"] = done.peak_bytes_max.value;
    fields["steps"] = steps;
    fields["plan"] = plan_object{expression, done.plan};
    return fields;
}

/// Collective. Returns what was done if that is wanted, else None.
py::object contract_tensors(const std::string &expression, const inputs_t &inputs,
                            tensor_object &out, const options_object &options, bool wants_report) {
    std::optional<dist_sequence_report> done;
    const std::vector<dist_operand> operands = operands_of(inputs);
    const auto result =
        std::visit([](auto &one) { return dist_impl::any_of(std::as_const(one)); }, out.any);
    dist_options how = options.get();
    const auto run = [&](const execution_control *control) {
        how.control = control;
        // A contraction of any number of inputs reports its steps.
        if (operands.size() > 2 || wants_report) {
            done = dist_impl::contract_any(expression, operands, result, how);
            return;
        }
        how.conj_a = inputs[0].second;
        how.conj_b = operands.size() == 2 && inputs[1].second;
        dist_impl::contract_any(expression, operands[0].any().its,
                                operands.size() == 2 ? &operands[1].any().its : nullptr, result,
                                how);
    };
    // Small ones, too, wait for other ranks, without Python's lock.
    compute(std::max(short_work, multiply_adds(expression, inputs)), expression, run);
    return wants_report ? py::object(report_of(expression, *done)) : py::none();
}

/// The shape of the output. Throws as output_extents(), and errc::invalid_argument if it `is_new`
/// but the expression reads it, or writes a part of it.
extents_t output_shape(const std::string &expression, const std::vector<extents_t> &shapes,
                       bool is_new) {
    const contraction_spec spec = read(expression, shapes);
    if (is_new && spec.operation != contraction_spec::update::assign)
        throw error(errc::invalid_argument, "'" + expression + "' adds to its output: give out");
    const std::set<label_t> labels(spec.output.begin(), spec.output.end());
    if (is_new && labels.size() < spec.output.size())
        throw error(errc::invalid_argument,
                    "'" + expression + "' writes a diagonal only: give out");
    std::vector<layout> layouts;
    for (const extents_t &one : shapes)
        layouts.emplace_back(one);
    return output_extents(spec, layouts);
}

/// `dtypes`: of the operands, the output last.
plan_object make_plan_of(const std::string &expression, const py::list &dtypes,
                         const std::vector<distribution> &operands,
                         const std::vector<bool> &conjugated, const options_object &options) {
    std::vector<data_type> types;
    for (const py::handle one : dtypes)
        types.push_back(element_type_of(py::reinterpret_borrow<py::object>(one)));
    const py::gil_scoped_release unlocked;
    std::vector<extents_t> shapes;
    for (std::size_t k = 0; k + 1 < operands.size(); ++k)
        shapes.push_back(operands[k].extents());
    return {expression, make_dist_sequence(read(expression, shapes), types, operands, options.get(),
                                           conjugated)};
}

/// That of an operand of a step, its result last, which needs no redistribution. The step need not
/// be given if it is the only one.
distribution distribution_of(const plan_object &one, int operand, std::optional<int> step) {
    const std::vector<dist_step> &steps = one.made.steps();
    if (!step && steps.size() != 1)
        throw py::value_error("a plan of several steps has no one distribution of an operand: give "
                              "the step, from 0 to " +
                              std::to_string(steps.size() - 1));
    const int number = step.value_or(0);
    if (number < 0 || static_cast<std::size_t>(number) >= steps.size())
        throw py::index_error("there is no step " + std::to_string(number) + " of " +
                              std::to_string(steps.size()));
    const dist_step &chosen = steps[static_cast<std::size_t>(number)];
    const auto inputs = static_cast<int>(chosen.operands.size());
    if (operand < 0 || operand > inputs)
        throw py::index_error("there is no operand " + std::to_string(operand) + " of " +
                              std::to_string(inputs + 1));
    return chosen.plan.layout_of(operand);
}

/// `expressions`: each with how often it is evaluated.
py::dict layouts_of(const std::vector<std::pair<std::string, std::int64_t>> &expressions,
                    const std::map<std::string, extents_t> &shapes, const py::object &dtype,
                    int ranks, const options_object &options, bool copies,
                    std::optional<index_t> memory_per_rank) {
    const data_type type = element_type_of(dtype);
    if (!is_arithmetic(type))
        throw error(errc::type_mismatch,
                    "layouts are planned for tensors of float32, float64, complex64 or complex128, "
                    "not of " +
                        python_name(type));
    copies_allowed allowed{.any = copies};
    if (memory_per_rank)
        allowed.memory_per_rank = bytes(*memory_per_rank);
    const planned_layouts found = [&] {
        const py::gil_scoped_release unlocked;
        std::vector<shared_expression> shared;
        for (const auto &[text, times] : expressions)
            shared.emplace_back(text, times);
        return plan_layouts(shared, shapes, type, ranks, options.get(), allowed);
    }();
    py::dict fields;
    fields["distributions"] = found.of;
    fields["seconds"] = found.seconds;
    fields["default_seconds"] = found.default_seconds;
    fields["received"] = found.received.value;
    fields["default_received"] = found.default_received.value;
    fields["memory"] = found.memory.value;
    fields["default_memory"] = found.default_memory.value;
    return fields;
}

} // namespace

std::vector<dist_operand> operands_of(const inputs_t &inputs) {
    std::vector<dist_operand> operands;
    for (const auto &[tensor, conjugated] : inputs) {
        const dist_operand plain =
            std::visit([](const auto &one) { return dist_operand(one); }, tensor->any);
        operands.push_back(conjugated ? conj(plain) : plain);
    }
    return operands;
}

py::dict report_fields(const dist_report &done) {
    py::dict fields;
    fields["seconds"] = done.seconds_max;
    fields["bytes_received"] = done.bytes_received_max.value;
    fields["redistribution_bytes"] = done.redistribution_max.value;
    fields["peak_bytes"] = done.peak_bytes_max.value;
    fields["workspace_bytes"] = done.workspace_max.value;
    fields["own_bytes_received"] = done.own_bytes_received.value;
    fields["own_redistribution_bytes"] = done.own_redistribution.value;
    fields["algorithm"] = std::string(name(done.algorithm));
    return fields;
}

void define_plans(py::module_ &module) {
    module.def("contract", &contract_tensors);
    module.def("output_shape", &output_shape);
    module.def("plan_layouts", &layouts_of);
    py::class_<plan_object>(module, "Plan")
        .def(py::init(&make_plan_of))
        .def_readonly("expression", &plan_object::expression)
        .def_property_readonly("flops",
                               [](const plan_object &one) { return one.made.summary().flops; })
        .def_property_readonly(
            "intermediate_bytes",
            [](const plan_object &one) { return one.made.summary().intermediates.value; })
        .def("json", [](const plan_object &one) { return to_json(one.made); })
        .def("explain", [](const plan_object &one) { return one.made.describe(); })
        .def("distribution_of", &distribution_of);
}

} // namespace tenfold::python
