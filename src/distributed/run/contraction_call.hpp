// What every call that contracts does: completing its options, saying them to the other ranks,
// running a plan.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <tenfold/dist.hpp>

#include "distributed/comm/agreement.hpp"

namespace tenfold::dist_impl {

/// With what the context decides.
dist_options resolved(dist_options options);

/// With as many threads as local contractions have on this rank: a context of the caller's may say
/// otherwise than the environment, which the world asked.
dist_options with_threads(dist_options options, const world &where);

/// `operands`: the inputs in order, then the output.
call_description describe_contraction(std::string_view expression, data_type type,
                                      std::span<const distribution *const> operands,
                                      const dist_options &options);

/// All that the plan of a call depends on, as text: what is stated of local contractions depends on
/// more than all ranks have in common.
std::string plan_key(const call_description &call, const dist_options &options);

/// Collective. Redistributes the operands, gathers panels, multiplies, sums, redistributes the
/// result (docs/distribution.md). Throws, on all ranks alike, before data moves, and errc::stopped
/// where the caller watches (base/work.hpp). b is null where
/// there is one input; `ctx` is the caller's, or null.
template <class T> dist_report run_plan(const dist_plan &plan, const context *ctx,
                                        const dist_tensor<T> &a, const dist_tensor<T> *b,
                                        dist_tensor<T> &r);

} // namespace tenfold::dist_impl
