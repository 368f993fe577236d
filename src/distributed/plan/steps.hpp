// How finely the ranks' blocks are cut into steps: as overlap wants it, or as memory does.
#pragma once

#include <optional>

#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// Steps of the same layouts in which no group has more positions than `most` says. Labels that
/// teams cut into pieces are cut last, so that every rank sends in every step; else those that are
/// slowest in memory are cut first, so that parts are long.
layouts cut_into_steps(const plan_state &plan, const layouts &where, const step_size &most,
                       index_t sum_parts);

/// Without a limit: the forced steps, or as many as keep messages and local products worth their
/// while: up to eight along k, so that one panel travels while another is multiplied.
layouts default_steps(const plan_state &plan, const layouts &where);

/// The coarsest steps found that stay within `limit` bytes; k is cut first, which moves nothing
/// more, and m and n only if k alone does not do. Empty if the smallest steps need more.
std::optional<layouts> steps_within(const plan_state &plan, const layouts &where, index_t limit);

/// The least limit with which steps_within() finds some; INT64_MAX if it is not below `known`,
/// which takes less time to find out.
index_t least_memory(const plan_state &plan, const layouts &where, index_t known = INT64_MAX);

/// What of a limit is left to the workspace of local contractions.
index_t reserved_workspace(const plan_state &plan, index_t limit) noexcept;

/// Bytes of the busiest rank: its blocks of the tensors, pieces, panels and buffers.
index_t peak_bytes(const plan_state &plan, const layouts &candidate);

} // namespace tenfold::dist_impl
