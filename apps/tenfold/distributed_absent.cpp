#include "apps/tenfold/distributed.hpp"

namespace tenfold::apps_impl {

contraction_result run_distributed(const contraction_request &request, const run_options &run) {
    return run_alone(request, run);
}

} // namespace tenfold::apps_impl
