// Tunes a plan: takes the candidate from wisdom, or else searches among the cost model's best
// candidates on scratch memory.
//
// `estimate` measures nothing, but uses wisdom. A search is skipped if wisdom has a result of the
// requested level or a higher one.
#pragma once

#include <functional>
#include <memory>

#include "contract/choose/search.hpp"
#include "contract/choose/wisdom.hpp"
#include "contract/front/plan_state.hpp"

namespace tenfold::contract_impl {

struct tuning_request {
    tuning level;
    tenfold::algorithm requested = algorithm::automatic; ///< automatic: any algorithm may be chosen
    wisdom *known = nullptr;                             ///< null: none
};

/// Makes the instrument that measures a plan's candidates, with at most `workspace` bytes each and
/// in about `seconds`. Throws tenfold::error if it cannot.
using instrument_maker = std::function<std::unique_ptr<instrument>(
    const plan_state &, byte_count workspace, double seconds)>;

/// Replaces the plan's candidate, its numbers in the summary, and the lines of explain() about
/// tuning. If tuning fails (no memory, no file), those lines give the reason, and the estimate
/// remains.
void tune(plan_state &plan, const tuning_request &request, const instrument_maker &make_instrument);

/// The instrument that measures on scratch memory.
std::unique_ptr<instrument> make_scratch_instrument(const plan_state &plan, byte_count workspace,
                                                    double seconds);

} // namespace tenfold::contract_impl
