// Runs contractions across ranks.
#pragma once

#include "apps/tenfold/contraction_result.hpp"

namespace tenfold::apps_impl {

/// Runs on all ranks of the launcher's job. Collective: if it fails, it fails on all ranks alike. A
/// build without MPI runs on one rank (distributed_absent.cpp), and run_program() refuses more
/// there.
contraction_result run_distributed(const contraction_request &request, const run_options &run);

} // namespace tenfold::apps_impl
