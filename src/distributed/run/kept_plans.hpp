// The plans that a context keeps for distributed contractions.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <tenfold/dist_sequence.hpp>

#include "base/context_of.hpp"
#include "base/plan_cache.hpp"
#include "distributed/plan/planning.hpp"

namespace tenfold::dist_impl {

/// A call for which a plan is made or found.
struct planned_call {
    std::string_view expression;
    std::span<const data_type> types;              ///< of the inputs in order, then the output
    std::span<const distribution *const> operands; ///< likewise
    const dist_options &options;
    std::vector<bool> conjugated; ///< by input, beside the options; empty: none
    prices price;
    factor_kinds factors;
};

enum class plan_kind : std::uint8_t { contraction, sequence };

/// The key of a call's plan in the context's cache: everything on which it depends, except the
/// context. A plan also describes local contractions, so this is more than what all ranks have in
/// common. alpha and beta count by their kind only.
base::plan_key key_of(const planned_call &call, plan_kind kind);

/// Returns the plan that the context keeps for the call, or the one that `make()` makes. Iterations
/// repeat contractions, and a plan for a thousand ranks takes a tenth of a second. Planning is a
/// pure function, so ranks need not agree on whether they find a plan or make it.
template <class Plan, plan_kind kind, class Make>
Plan find_or_make(const planned_call &call, const Make &make) {
    base::plan_cache &cache = base::plans_of(base::context_of(call.options));
    const base::plan_key key = key_of(call, kind);
    if (const auto *known = cache.find<Plan>(key))
        return *known;
    const auto made = std::make_shared<const Plan>(make());
    cache.keep(key, made, sizeof(Plan) + footprint(*made));
    return *made;
}

} // namespace tenfold::dist_impl
