// What a build without MPI does instead.
#include <tenfold/error.hpp>

#include "apps/tenfold/checked_file.hpp"
#include "apps/tenfold/distributed.hpp"

namespace tenfold::apps_impl {

contraction_result run_distributed(const contraction_request &request, const run_options &run) {
    return run_alone(request, run);
}

std::vector<checked_tensor> check_checkpoint(const std::string &file) {
    throw error(errc::unsupported,
                "'" + file + "': is a checkpoint, which this build, without MPI, does not read");
}

} // namespace tenfold::apps_impl
