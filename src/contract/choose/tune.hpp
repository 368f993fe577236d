// Tuning a plan: what wisdom knows, else what a search among the cost model's best candidates finds
// on scratch memory.
//
// `estimate` measures nothing and takes what wisdom has. A search is skipped where wisdom has one
// of the level that is asked for, or a higher one.
#pragma once

#include <functional>
#include <memory>

#include "contract/choose/search.hpp"
#include "contract/choose/wisdom.hpp"
#include "contract/front/plan_state.hpp"

namespace tenfold::contract_impl {

struct tuning_request {
    tuning level;
    tenfold::algorithm requested = algorithm::automatic; ///< no other is taken
    wisdom *known = nullptr;                             ///< null: none
};

/// Gives what a plan is measured with, for candidates that need so much workspace at most, in about
/// so many seconds; throws tenfold::error where it cannot.
using instrument_maker = std::function<std::unique_ptr<instrument>(
    const contraction_plan::state &, byte_count workspace, double seconds)>;

/// Replaces the candidate that was chosen, its numbers in the summary, and the words about how that
/// came. Whatever stands in the way (memory, a file) is told in those words, and the estimate
/// stays.
void tune(contraction_plan::state &plan, const tuning_request &request,
          const instrument_maker &make_instrument);

/// Measures on scratch memory.
std::unique_ptr<instrument> make_scratch_instrument(const contraction_plan::state &plan,
                                                    byte_count workspace, double seconds);

} // namespace tenfold::contract_impl
