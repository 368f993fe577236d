// The extension module tenfold._dist: what the package needs of the library's part with MPI.
#define TENFOLD_FILLS_NUMPY_TABLE
#include "core/numpy_api.hpp"

#include "core/errors.hpp"
#include "core/progress.hpp"

#include "distributions.hpp"
#include "files.hpp"
#include "futures.hpp"
#include "options.hpp"
#include "plans.hpp"
#include "programs.hpp"
#include "tensors.hpp"
#include "traces.hpp"
#include "worlds.hpp"

PYBIND11_MODULE(_dist, module) {
    using namespace tenfold;
    if (_import_array() <
        0) // and not import_array(), which returns from a function of its own kind
        throw pybind11::error_already_set();
    // Its classes of contexts and operands are taken here, too.
    const auto core = pybind11::module_::import("tenfold._core");
    python::translate_errors();
    python::use_progress_of(core);
    python::define_distribution(module);
    python::define_world(module);
    python::define_tensor(module);
    python::define_options(module);
    python::define_plans(module);
    python::define_futures(module);
    python::define_programs(module);
    python::define_files(module);
    python::define_traces(module);
}
