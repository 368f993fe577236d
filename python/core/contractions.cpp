#include "contractions.hpp"

#include <optional>
#include <string>
#include <vector>

#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <tenfold/contract.hpp>
#include <tenfold/transpose.hpp>

#include "arrays.hpp"
#include "computing.hpp"
#include "contexts.hpp"
#include "expressions.hpp"
#include "keywords.hpp"

namespace tenfold::python {
namespace {

using operands = std::vector<const operand *>;

/// Options that contract() and plan() take by keyword, and where they go.
const setters_of<contract_options> &setters() {
    using to = contract_options &;
    using from = py::handle;
    static const setters_of<contract_options> all{
        {"alpha", [](to o, from v) { o.alpha = py::cast<scalar>(v); }},
        {"beta", [](to o, from v) { o.beta = py::cast<std::optional<scalar>>(v); }},
        {"algorithm",
         [](to o, from v) { o.algorithm = enumerator(v, "algorithm", parse_algorithm); }},
        {"tuning", [](to o, from v) { o.tuning = enumerator(v, "tuning", parse_tuning); }},
        {"workspace_limit",
         [](to o, from v) {
             if (!v.is_none())
                 o.workspace_limit = byte_count{py::cast<index_t>(v)};
         }},
        {"backend", [](to o, from v) { o.backend = enumerator(v, "backend", parse_backend); }},
        {"threads", [](to o, from v) { o.threads = py::cast<int>(v); }},
        {"reproducible", [](to o, from v) { o.reproducible = py::cast<std::optional<bool>>(v); }},
        {"diagonal_output", [](to o, from v) { o.diagonal_output = py::cast<bool>(v); }},
        {"broadcast", [](to o, from v) { o.broadcast = py::cast<bool>(v); }},
        {"path", [](to o, from v) { o.path = py::cast<path_steps>(v); }}};
    return all;
}

contract_options options_of(const py::dict &given, const context *ctx) {
    contract_options options{.ctx = ctx};
    set_by_keywords(options, given, setters(), "option");
    return options;
}

std::vector<input> inputs_of(const operands &given) {
    std::vector<input> inputs;
    for (const operand *one : given)
        inputs.push_back(one->as_input());
    return inputs;
}

void contract_arrays(const expression &read, const operands &given, const operand *c,
                     const operand &d, double work, const py::dict &options) {
    const std::vector<input> inputs = inputs_of(given);
    const output result = d.as_output();
    const std::optional<input> addend = c == nullptr ? std::nullopt : std::optional(c->as_input());
    const current_context ctx;
    contract_options how = options_of(options, ctx.get());
    compute(work, [&](const execution_control *control) {
        how.control = control;
        if (addend)
            contract(read.spec, inputs, *addend, result, how);
        else
            contract(read.spec, inputs, result, how);
    });
}

/// Whether an array is what a plan was made for.
struct planned_operand {
    explicit planned_operand(const operand &one)
        : type(one.type()), conjugated(one.conjugated()), shape(one.as_input().shape()) {}

    void check(const operand &one, const std::string &name) const {
        const input given = one.as_input();
        if (one.type() != type)
            throw error(errc::type_mismatch, name + " has elements of " + python_name(one.type()) +
                                                 ", but the plan was made for " +
                                                 python_name(type));
        if (one.conjugated() != conjugated)
            throw error(errc::invalid_argument,
                        name + (conjugated ? " is not conjugated, as the plan has it"
                                           : " is conjugated, but not in the plan"));
        if (given.shape() != shape)
            throw error(errc::invalid_argument, name + " has " + given.shape().describe() +
                                                    " (in elements), but the plan was made for " +
                                                    shape.describe());
    }

    data_type type;
    bool conjugated;
    layout shape;
};

/// tenfold.Plan's work.
class plan {
public:
    plan(expression read, const operands &given, const operand *c, const operand &d,
         const py::dict &options)
        : read_(std::move(read)), out_(d), work_(multiply_adds_of(given)),
          made_(make(given, c, d, options)) {
        for (const operand *one : given)
            inputs_.emplace_back(*one);
        if (c != nullptr)
            c_.emplace(*c);
    }

    void execute(const operands &given, const operand *c, const operand &d, scalar alpha,
                 scalar beta, const std::optional<py::buffer> &workspace) const {
        if (given.size() != inputs_.size())
            throw error(errc::order_mismatch, "the plan has " + std::to_string(inputs_.size()) +
                                                  " inputs, the call " +
                                                  std::to_string(given.size()));
        std::vector<const void *> data;
        for (std::size_t k = 0; k < given.size(); ++k) {
            inputs_[k].check(*given[k], "operand " + std::to_string(k));
            data.push_back(PyArray_DATA(given[k]->numpy()));
        }
        out_.check(d, "out");
        const output result = d.as_output();
        const void *addend = result.data();
        if (c != nullptr) {
            (c_ ? *c_ : out_).check(*c, "c");
            addend = PyArray_DATA(c->numpy());
        } else if (c_ && beta != 0.0) {
            throw error(errc::invalid_argument, "the plan has an array c, the call has none");
        }
        std::span<std::byte> memory;
        py::buffer_info info;
        if (workspace) {
            info = workspace->request(true);
            memory = {static_cast<std::byte *>(info.ptr),
                      static_cast<std::size_t>(info.size * info.itemsize)};
        }
        status done;
        compute(work_, [&](const execution_control *control) {
            done = made_.execute(alpha, data, beta, addend, result.data(), memory, control);
        });
        done.throw_if_failed();
    }

    /// An array that lies as the plan's output.
    py::object new_output() const {
        const auto order = static_cast<std::size_t>(out_.shape.order());
        std::vector<npy_intp> strides(out_.shape.strides());
        for (npy_intp &stride : strides)
            stride *= size_of(out_.type);
        std::vector<npy_intp> shape(out_.shape.extents());
        PyObject *array = PyArray_New(
            &PyArray_Type, static_cast<int>(order), shape.data(), numpy_number(out_.type),
            is_dense() ? strides.data() : nullptr, nullptr, 0, 0, nullptr);
        if (array == nullptr)
            throw py::error_already_set();
        return py::reinterpret_steal<py::object>(array);
    }

    const expression &read() const noexcept { return read_; }
    const contraction_plan &made() const noexcept { return made_; }

private:
    double multiply_adds_of(const operands &given) const {
        std::vector<PyArrayObject *> arrays;
        for (const operand *one : given)
            arrays.push_back(one->numpy());
        std::vector<index_t> extents(read_.spec.label_names.size());
        return gather_extents(read_, arrays, extents) ? multiply_adds(extents) : 0;
    }
    contraction_plan make(const operands &given, const operand *c, const operand &d,
                          const py::dict &options) const {
        const contract_options how = options_of(options, ctx_.get());
        const output result = d.as_output();
        const std::vector<input> inputs = inputs_of(given);
        const input addend = c == nullptr ? input(result) : c->as_input();
        const py::gil_scoped_release unlocked; // tuning may take seconds
        return make_plan(read_.spec, inputs, addend, result, how);
    }
    /// Whether the elements fill an array of their own.
    bool is_dense() const noexcept {
        return !out_.shape.empty() && out_.shape.lowest() == 0 &&
               out_.shape.highest() + 1 == out_.shape.size();
    }

    expression read_;
    current_context ctx_; // outlives the plan
    planned_operand out_;
    double work_;
    contraction_plan made_;
    std::vector<planned_operand> inputs_;
    std::optional<planned_operand> c_;
};

void transpose_array(const std::vector<int> &permutation, const operand &a, const operand &b,
                     scalar alpha, scalar beta) {
    const input from = a.as_input();
    const output to = b.as_output();
    const current_context ctx;
    const transpose_plan plan(permutation, from.type(), from.shape(), to.type(), to.shape(),
                              from.conjugated(), {.ctx = ctx.get()});
    status done;
    compute(static_cast<double>(to.shape().size()), [&](const execution_control *control) {
        done = plan.execute(alpha, from.data(), beta, to.data(), control);
    });
    done.throw_if_failed();
}

py::list path_of(const plan &one) {
    py::list steps;
    for (const std::vector<int> &step : one.made().path())
        steps.append(py::tuple(py::cast(step)));
    return steps;
}

} // namespace

void define_contractions(py::module_ &module) {
    module.def("contract", &contract_arrays, py::arg("expression"), py::arg("inputs"), py::arg("c"),
               py::arg("d"), py::arg("work"), py::arg("options"));
    module.def("transpose", &transpose_array);
    py::class_<plan>(module, "Plan")
        .def(py::init<expression, const operands &, const operand *, const operand &,
                      const py::dict &>())
        .def("execute", &plan::execute)
        .def("new_output", &plan::new_output)
        .def("explain", [](const plan &one) { return one.made().explain(); })
        .def("summary_json", [](const plan &one) { return to_json(one.made().summary()); })
        .def_property_readonly(
            "algorithm",
            [](const plan &one) { return std::string(name(one.made().summary().algorithm)); })
        .def_property_readonly("seconds",
                               [](const plan &one) { return one.made().summary().seconds; })
        .def_property_readonly("flops", [](const plan &one) { return one.made().summary().flops; })
        .def_property_readonly("flops_at_once",
                               [](const plan &one) { return one.made().summary().flops_at_once; })
        .def_property_readonly(
            "largest_intermediate",
            [](const plan &one) { return one.made().summary().largest_intermediate.value; })
        .def_property_readonly("steps",
                               [](const plan &one) {
                                   py::list steps;
                                   for (const step_summary &step : one.made().summary().steps)
                                       steps.append(py::make_tuple(step.expression, step.flops));
                                   return steps;
                               })
        .def_property_readonly("path", &path_of)
        .def_property_readonly("workspace_size",
                               [](const plan &one) { return one.made().workspace_size().value; })
        .def_property_readonly("expression", [](const plan &one) { return one.read().spec.text; });
}

} // namespace tenfold::python
