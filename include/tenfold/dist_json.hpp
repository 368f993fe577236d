// Plans of distributed contractions as JSON.
#pragma once

#include <string>

#include <tenfold/dist_sequence.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// A JSON object with the fields of `tenfold explain --ranks P --json` that are about ranks: ranks,
/// grid, bytes received per rank, bounds, steps of a rank, memory. A ratio that is infinite, and a
/// bound that a plan does not have, is null. Throws errc::unsupported in a build without
/// nlohmann_json.
std::string to_json(const dist_plan &plan);
/// The same for the sequence: totals, and what only single steps have of the step with the most
/// operations; `distributed_steps` lists all steps.
std::string to_json(const dist_sequence &plan);

} // namespace tenfold
