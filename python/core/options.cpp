#include "options.hpp"

#include <pybind11/stl.h>

#include "keywords.hpp"
#include "shared_options.hpp"

namespace tenfold::python {
namespace {

/// Options that contract() and plan() take by keyword, and where they go.
const setters_of<contract_options> &option_setters() {
    using to = contract_options &;
    using from = py::handle;
    static const setters_of<contract_options> all = [] {
        setters_of<contract_options> own = shared_setters<contract_options>();
        own["broadcast"] = [](to o, from v) { o.broadcast = py::cast<bool>(v); };
        own["path"] = [](to o, from v) { o.path = py::cast<path_steps>(v); };
        return own;
    }();
    return all;
}

} // namespace

contract_options options_of(const py::dict &given, const context *ctx) {
    contract_options options{.ctx = ctx};
    set_by_keywords(options, given, option_setters(), "option");
    return options;
}

std::vector<input> inputs_of(const operands &given) {
    std::vector<input> inputs;
    for (const operand *one : given)
        inputs.push_back(one->as_input());
    return inputs;
}

} // namespace tenfold::python
