#include "options.hpp"

#include <optional>

#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "keywords.hpp"

namespace tenfold::python {
namespace {

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

} // namespace

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

} // namespace tenfold::python
