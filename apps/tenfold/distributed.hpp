// Runs across ranks, and how they would go.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "apps/tenfold/contraction_result.hpp"

namespace tenfold::apps_impl {

/// Runs on all ranks of the launcher's job. Collective: fails on all ranks alike. A build without
/// MPI serves one rank (distributed_absent.cpp); run_program() refuses more there.
contraction_result run_distributed(const contraction_request &request, const run_options &run);

/// How a distributed run would go, operands in the default distribution: lines for people, and the
/// fields of `tenfold explain --json` that tell of ranks, grid and bytes.
struct distributed_explanation {
    std::string text;
    nlohmann::ordered_json fields;
};
distributed_explanation explain_distributed(const contraction_request &request,
                                            const resolved_contraction &resolved, int ranks,
                                            std::optional<byte_count> memory_per_rank);

} // namespace tenfold::apps_impl
