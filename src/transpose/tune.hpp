// Tuning a plan: what wisdom knows, else what a search finds on scratch memory.
//
// `estimate` measures nothing and takes what wisdom has. `measure` searches the schedule that will
// run as far as the options tell (that with beta = 0 unless they name another beta); `patient`
// searches both. A search is skipped where wisdom has one of that level or a higher one.
#pragma once

#include <functional>
#include <memory>

#include <tenfold/context.hpp>

#include "transpose/plan/plan_state.hpp"
#include "transpose/search.hpp"
#include "transpose/wisdom.hpp"

namespace tenfold::transpose_impl {

/// What a plan does not know itself.
struct tuning_request {
    const context &ctx;
    tuning level;
    bool accumulates;        ///< as far as the options tell
    wisdom *known = nullptr; ///< null: none
};

/// Gives what a plan is measured with, in about so many seconds; throws tenfold::error where it
/// cannot.
using instrument_maker =
    std::function<std::unique_ptr<instrument>(const transpose_plan::state &, double seconds)>;

/// Replaces the plan's schedules, its prediction and the words about them. Whatever stands in the
/// way (memory, a file) is told in those words, and the estimate stays.
void tune(transpose_plan::state &plan, const tuning_request &request,
          const instrument_maker &make_instrument);

/// Measures plans of `ctx` on scratch memory.
instrument_maker scratch_instruments(const context &ctx);

} // namespace tenfold::transpose_impl
