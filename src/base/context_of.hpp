// The context that a call runs in, and what it holds.
#pragma once

#include <memory>

#include <tenfold/context.hpp>

namespace tenfold::base {

/// The one that a caller chose, or the global one.
inline const context &context_or_global(const context *chosen) {
    return chosen != nullptr ? *chosen : context::global();
}

/// That of options, whose `ctx` is null where the caller left it out.
template <class Options> const context &context_of(const Options &options) {
    return context_or_global(options.ctx);
}

struct machine;
struct machine_rates;
class learnt_memory;
class plan_cache;
class workspace_pool;

const machine &machine_of(const context &ctx) noexcept;
workspace_pool &pool_of(const context &ctx) noexcept;
plan_cache &plans_of(const context &ctx) noexcept;
/// What the cost models use. The first call reads the calibration file, or probes (rate_probe.hpp).
/// Later calls may return others (learnt_memory.hpp); what was returned stays as it is.
const machine_rates &rates_of(const context &ctx) noexcept;
/// Executions tell it how fast the memory was; null if the context does not learn.
std::shared_ptr<learnt_memory> learner_of(const context &ctx) noexcept;

} // namespace tenfold::base
