// Runs contractions across ranks, and explains their plans.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "apps/tenfold/contraction_result.hpp"

namespace tenfold::apps_impl {

/// Runs on all ranks of the launcher's job. Collective: if it fails, it fails on all ranks alike. A
/// build without MPI runs on one rank (distributed_absent.cpp), and run_program() refuses more
/// there.
contraction_result run_distributed(const contraction_request &request, const run_options &run);

/// Describes a distributed run whose operands are in the default distribution: lines of text, and
/// the fields of `tenfold explain --json` for ranks, grid and bytes.
struct distributed_explanation {
    std::string text;
    nlohmann::ordered_json fields;
};
distributed_explanation explain_distributed(const contraction_request &request,
                                            const resolved_contraction &resolved, int ranks,
                                            std::optional<byte_count> memory_per_rank);

} // namespace tenfold::apps_impl
