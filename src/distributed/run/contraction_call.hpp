// Shared by all calls that contract: completes the options, describes the call to the other ranks,
// runs a plan.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <tenfold/dist.hpp>

#include "distributed/comm/agreement.hpp"

namespace tenfold::dist_impl {

/// Returns `options` with the context's settings for reproducible results and backend where they
/// are not set.
dist_options resolved(dist_options options);

/// Returns `options` with the number of threads for local contractions on this rank. The caller's
/// context may set another number than the environment, from which the world took its own.
dist_options with_threads(dist_options options, const world &where);

/// `operands` are the inputs in order, then the output.
call_description describe_contraction(std::string_view expression, data_type type,
                                      std::span<const distribution *const> operands,
                                      const dist_options &options);

/// Returns all that the plan of a call depends on, as text. This is more than what all ranks have
/// in common, because a plan also describes local contractions.
std::string plan_key(const call_description &call, const dist_options &options);

/// Collective. Redistributes the operands, gathers panels, multiplies, sums and redistributes the
/// result (docs/distribution.md). If one rank throws, all throw, before data moves; if the caller
/// watches (base/work.hpp), errc::stopped may also come later. `b` is null for one input; `ctx` is
/// the caller's context or null.
template <class T> dist_report run_plan(const dist_plan &plan, const context *ctx,
                                        const dist_tensor<T> &a, const dist_tensor<T> *b,
                                        dist_tensor<T> &r);

} // namespace tenfold::dist_impl
