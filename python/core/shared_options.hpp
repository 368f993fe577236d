// Options that contractions on one node and across ranks have in common.
#pragma once

#include <optional>

#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <tenfold/types.hpp>

#include "keywords.hpp"
#include "numpy_api.hpp"

namespace tenfold::python {

/// Their names, and where values go. Options is contract_options or dist_options.
template <class Options> setters_of<Options> shared_setters() {
    using to = Options &;
    using from = py::handle;
    return {
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
        {"diagonal_output", [](to o, from v) { o.diagonal_output = py::cast<bool>(v); }}};
}

} // namespace tenfold::python
