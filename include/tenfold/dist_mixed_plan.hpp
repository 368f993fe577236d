// Plans of distributed contractions whose tensors have several element types. Without MPI;
// <tenfold/dist_mixed.hpp> runs them.
#pragma once

#include <tenfold/dist_sequence.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// As make_dist_plan() of <tenfold/dist_plan.hpp>, with a type for each operand: inputs in order,
/// then the output. The mixtures are those of contract() on one node (docs/semantics.md#types).
/// Throws errc::type_mismatch for others.
dist_plan make_dist_plan(const contraction_spec &spec, std::span<const data_type> types,
                         std::span<const distribution> operands, const dist_options &options = {});

/// As make_dist_sequence(), likewise. Intermediates have the type of the sums.
dist_sequence make_dist_sequence(const contraction_spec &spec, std::span<const data_type> types,
                                 std::span<const distribution> operands,
                                 const dist_options &options = {},
                                 const std::vector<bool> &conjugated = {});

} // namespace tenfold
