#include "plans.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <tenfold/contract.hpp>

#include "arrays.hpp"
#include "computing.hpp"
#include "contexts.hpp"
#include "epilogues.hpp"
#include "errors.hpp"
#include "expressions.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "output_memory.hpp"
#include "plain_call.hpp"

namespace tenfold::python {
namespace {

/// An operand for which a plan was made.
struct planned_operand {
    explicit planned_operand(const operand &one)
        : type(one.type()), conjugated(one.conjugated()), shape(one.as_input().shape()) {}

    /// Throws tenfold::error that says what differs.
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

    /// Whether an object is such an array, to be used as it is and where it lies; never for bf16.
    bool fits(PyObject *object) const noexcept {
        if (conjugated || !PyArray_CheckExact(object) || !lies_usably(as_array(object)) ||
            type_of(as_array(object)) != type)
            return false;
        strides_t strides;
        const layout_arrays given = shape_of(as_array(object), strides);
        return std::equal(given.extents.begin(), given.extents.end(), shape.extents().begin(),
                          shape.extents().end()) &&
               std::equal(shape.strides().begin(), shape.strides().end(), given.strides);
    }

    data_type type;
    bool conjugated;
    layout shape;
};

class plan {
public:
    plan(expression read, const operands &given, const operand *c, const operand &d,
         epilogue_steps epilogue, const py::dict &options)
        : read_(std::move(read)), out_(d), work_(multiply_adds(read_, given)),
          steps_(std::move(epilogue)), epilogue_(epilogue_of(steps_)),
          epilogue_data_(epilogue_.data()), made_(make(given, c, d, options)) {
        for (const operand *one : given)
            inputs_.emplace_back(*one);
        if (c != nullptr)
            c_.emplace(*c);
    }

    /// `epilogue` has other data for the plan's steps; empty: those of the plan.
    void execute(const operands &given, const operand *c, const operand &d, scalar alpha,
                 scalar beta, const std::optional<epilogue_steps> &epilogue,
                 const std::optional<py::buffer> &workspace) const {
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
        std::vector<const void *> epilogue_data = epilogue_data_;
        if (epilogue) {
            const contraction_epilogue other = epilogue_of(*epilogue);
            check_same_steps(epilogue_.steps(), other.steps());
            epilogue_data = other.data();
        }
        std::span<std::byte> memory;
        py::buffer_info info;
        if (workspace) {
            info = workspace->request(true);
            memory = {static_cast<std::byte *>(info.ptr),
                      static_cast<std::size_t>(info.size * info.itemsize)};
        }
        run({.alpha = alpha,
             .inputs = data,
             .beta = beta,
             .c = addend,
             .d = result.data(),
             .epilogue = epilogue_data},
            memory);
    }

    /// The call where it is plain: arrays that are what the plan was made for, and no array c.
    /// Returns a new reference to the output, or null without an exception if it is not so plain.
    PyObject *execute_plainly(std::span<PyObject *const> given, PyObject *out, scalar alpha,
                              scalar beta) const {
        std::array<const void *, most_plain_inputs> data;
        if (c_ || given.size() != inputs_.size() || given.size() > data.size() ||
            (out == nullptr && beta != 0.0))
            return nullptr;
        for (std::size_t k = 0; k < given.size(); ++k) {
            if (!inputs_[k].fits(given[k]))
                return nullptr;
            data[k] = PyArray_DATA(as_array(given[k]));
        }
        if (out != nullptr && (!out_.fits(out) || !PyArray_ISWRITEABLE(as_array(out))))
            return nullptr;
        py::object result = out == nullptr ? new_output() : py::reinterpret_borrow<py::object>(out);
        void *const d = PyArray_DATA(as_array(result));
        run({.alpha = alpha,
             .inputs = std::span(data).first(given.size()),
             .beta = beta,
             .c = d,
             .d = d,
             .epilogue = epilogue_data_},
            {});
        return out == nullptr ? PyArray_Return(as_array(result.release().ptr()))
                              : result.release().ptr();
    }

    /// An array that lies as the plan's output.
    py::object new_output() const {
        const auto order = static_cast<std::size_t>(out_.shape.order());
        std::array<npy_intp, NPY_MAXDIMS> shape;
        std::array<npy_intp, NPY_MAXDIMS> strides;
        for (std::size_t k = 0; k < order; ++k) {
            shape[k] = out_.shape.extents()[k];
            strides[k] = out_.shape.strides()[k] * size_of(out_.type);
        }
        return new_array(std::span(shape).first(order), numpy_number(out_.type),
                         is_dense() ? strides.data() : nullptr);
    }

    const expression &read() const noexcept { return read_; }
    const contraction_plan &made() const noexcept { return made_; }

private:
    void run(const contraction_data &data, std::span<std::byte> workspace) const {
        status done;
        compute(work_, read_.spec.text, [&](const execution_control *control) {
            done = made_.execute(data, {.workspace = workspace, .control = control});
        });
        done.throw_if_failed();
    }
    contraction_plan make(const operands &given, const operand *c, const operand &d,
                          const py::dict &options) const {
        contract_options how = options_of(options, ctx_.get());
        if (!epilogue_.steps().empty())
            how.epilogue = &epilogue_;
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
    epilogue_steps steps_; // hold the arrays of the epilogue
    contraction_epilogue epilogue_;
    std::vector<const void *> epilogue_data_;
    contraction_plan made_;
    std::vector<planned_operand> inputs_;
    std::optional<planned_operand> c_;
};

py::list order_of(const plan &one) {
    py::list steps;
    for (const std::vector<int> &step : one.made().path())
        steps.append(py::tuple(py::cast(step)));
    return steps;
}

py::list steps_of(const plan &one) {
    py::list steps;
    for (const step_summary &step : one.made().summary().steps)
        steps.append(py::make_tuple(step.expression, step.flops));
    return steps;
}

/// execute_plan(plan, arrays, out, alpha, beta): Plan.execute() where the call is plain, without
/// pybind11's conversions; else NotImplemented.
PyObject *execute_plan(PyObject *, PyObject *const *arguments, Py_ssize_t count) noexcept {
    try {
        if (count == 5 && PyTuple_CheckExact(arguments[1])) {
            const std::optional<scalar> alpha = plain_number(arguments[3]);
            const std::optional<scalar> beta = plain_number(arguments[4]);
            const std::span<PyObject *const> arrays(
                reinterpret_cast<PyTupleObject *>(arguments[1])->ob_item,
                static_cast<std::size_t>(PyTuple_GET_SIZE(arguments[1])));
            if (alpha && beta)
                if (PyObject *made =
                        py::cast<const plan &>(py::handle(arguments[0]))
                            .execute_plainly(arrays,
                                             arguments[2] == Py_None ? nullptr : arguments[2],
                                             *alpha, *beta))
                    return made;
        }
    } catch (...) {
        set_current_error();
        return nullptr;
    }
    return py::reinterpret_borrow<py::object>(Py_NotImplemented).release().ptr();
}

PyMethodDef methods[] = {
    {"execute_plan", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&execute_plan)),
     METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

void define_plans(py::module_ &module) {
    if (PyModule_AddFunctions(module.ptr(), methods) != 0)
        throw py::error_already_set();
    py::class_<plan>(module, "Plan")
        .def(py::init<expression, const operands &, const operand *, const operand &,
                      epilogue_steps, const py::dict &>())
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
        .def_property_readonly("steps", &steps_of)
        .def_property_readonly("path", &order_of)
        .def_property_readonly("workspace_size",
                               [](const plan &one) { return one.made().workspace_size().value; })
        .def_property_readonly("expression", [](const plan &one) { return one.read().spec.text; });
}

} // namespace tenfold::python
