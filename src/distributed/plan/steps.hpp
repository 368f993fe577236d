// Cuts the ranks' blocks into steps, as finely as overlap or a memory limit requires.
#pragma once

#include <optional>

#include "distributed/plan/buffers.hpp"
#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// Cuts into steps in which no group has more positions than `most` says. Labels that teams cut
/// into pieces are cut last, so that every rank sends in every step; among the others those that
/// are slowest in memory are cut first, so that parts are long.
layouts cut_into_steps(const plan_state &plan, const layouts &where, const step_size &most,
                       index_t sum_parts);

/// Returns the steps without a limit of memory: the forced ones, or up to eight along k, so that
/// one panel travels while another is multiplied; fewer if messages or local products would become
/// too small.
layouts default_steps(const plan_state &plan, const layouts &where);

/// Returns the coarsest steps found that stay within `limit` bytes. Cuts k first, which adds no
/// communication, and m and n only if k alone does not suffice. Empty if the smallest steps need
/// more.
std::optional<layouts> steps_within(const plan_state &plan, const layouts &where, index_t limit);

/// Returns the least limit with which steps_within() succeeds; INT64_MAX if it is not below
/// `known`, which takes less time to find out.
index_t least_memory(const plan_state &plan, const layouts &where, index_t known = INT64_MAX);

/// Returns a limit below which steps_within() fails for all layouts of the grid of `where`, in
/// little time.
index_t least_memory_if_kept(const plan_state &plan, const layouts &where, const may_be_kept &kept);

/// Returns the part of a limit that is left to the workspace of local contractions.
index_t reserved_workspace(const plan_state &plan, index_t limit) noexcept;

/// Returns the bytes of the busiest rank: its blocks of the tensors, pieces, panels and buffers.
index_t peak_bytes(const plan_state &plan, const layouts &candidate);
/// The same of the busiest of a few ranks, which is enough to compare layouts.
index_t sample_peak_bytes(const plan_state &plan, const layouts &candidate);

} // namespace tenfold::dist_impl
