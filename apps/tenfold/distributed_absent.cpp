#include "apps/launcher.hpp"
#include "apps/program.hpp"
#include "distributed.hpp"

namespace tenfold::apps_impl {

contraction_result run_distributed(const contraction_request &request, const run_options &run) {
    if (launched_ranks() > 1)
        throw failure("this build has no MPI: it runs on one process only");
    return run_alone(request, run);
}

} // namespace tenfold::apps_impl
