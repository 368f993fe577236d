#include "contractions.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <tenfold/contract.hpp>
#include <tenfold/transpose.hpp>

#include "arrays.hpp"
#include "computing.hpp"
#include "contexts.hpp"
#include "epilogues.hpp"
#include "expressions.hpp"
#include "options.hpp"

namespace tenfold::python {
namespace {

void contract_operands(const expression &read, const operands &given, const operand *c,
                       const operand &d, const epilogue_steps &epilogue, const py::dict &options) {
    const std::vector<input> inputs = inputs_of(given);
    const output result = d.as_output();
    const std::optional<input> addend = c == nullptr ? std::nullopt : std::optional(c->as_input());
    const current_context ctx;
    const contraction_epilogue finish = epilogue_of(epilogue);
    contract_options how = options_of(options, ctx.get());
    if (!finish.steps().empty())
        how.epilogue = &finish;
    double work = multiply_adds(read, given);
    if (how.tuning != tuning::estimate) // which may take seconds, whatever it tunes
        work = std::max(work, short_work);
    compute(work, read.spec.text, [&](const execution_control *control) {
        how.control = control;
        if (addend)
            contract(read.spec, inputs, *addend, result, how);
        else
            contract(read.spec, inputs, result, how);
    });
}

void transpose_array(const std::vector<int> &permutation, const operand &a, const operand &b,
                     scalar alpha, scalar beta) {
    const input from = a.as_input();
    const output to = b.as_output();
    const current_context ctx;
    const transpose_plan plan(permutation, from.type(), from.shape(), to.type(), to.shape(),
                              from.conjugated(), {.ctx = ctx.get()});
    status done;
    compute(static_cast<double>(to.shape().size()), "transpose",
            [&](const execution_control *control) {
                done = plan.execute(alpha, from.data(), beta, to.data(), control);
            });
    done.throw_if_failed();
}

} // namespace

void define_contractions(py::module_ &module) {
    module.def("contract_operands", &contract_operands);
    module.def("transpose", &transpose_array);
}

} // namespace tenfold::python
