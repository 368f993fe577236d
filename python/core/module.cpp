// The extension module tenfold._core: what the package needs of the C++ library.
#define TENFOLD_FILLS_NUMPY_TABLE
#include "numpy_api.hpp"

#include <tenfold/version.hpp>

#include "arrays.hpp"
#include "chemistry.hpp"
#include "contexts.hpp"
#include "contractions.hpp"
#include "epilogues.hpp"
#include "errors.hpp"
#include "expressions.hpp"
#include "output_layouts.hpp"
#include "output_memory.hpp"
#include "plans.hpp"
#include "progress.hpp"
#include "quick_contract.hpp"
#include "quick_einsum.hpp"

PYBIND11_MODULE(_core, module) {
    using namespace tenfold;
    if (_import_array() <
        0) // and not import_array(), which returns from a function of its own kind
        throw pybind11::error_already_set();
    python::translate_errors();
    module.attr("version") = version();
    python::define_operand(module);
    python::define_context(module);
    python::define_expression(module);
    python::define_output_layouts(module);
    python::define_output_memory(module);
    python::define_progress(module);
    python::define_epilogues(module);
    python::define_contractions(module);
    python::define_plans(module);
    python::define_einsum(module);
    python::define_contract(module);
    python::define_chemistry(module);
}
