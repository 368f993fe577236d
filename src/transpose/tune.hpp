// Tunes a plan by wisdom, or else by a search on scratch memory.
//
// `estimate` measures nothing and takes what wisdom has. `measure` searches for the schedule that
// will run, judging by the options (beta = 0 unless they name another beta); `patient` searches for
// both. A search is skipped if wisdom has one of the same level or a higher one. HPTT and
// FFTW name their levels in the same way.
#pragma once

#include <functional>
#include <memory>

#include <tenfold/context.hpp>

#include "transpose/plan/plan_state.hpp"
#include "transpose/search.hpp"
#include "transpose/wisdom.hpp"

namespace tenfold::transpose_impl {

/// The inputs of tuning beside the plan.
struct tuning_request {
    const context &ctx;
    tuning level;
    bool accumulates;        ///< judging by the options
    wisdom *known = nullptr; ///< null if there is no wisdom
};

/// Returns an instrument that is ready in about so many seconds; throws tenfold::error if it
/// cannot.
using instrument_maker =
    std::function<std::unique_ptr<instrument>(const transpose_plan::state &, double seconds)>;

/// Replaces the plan's schedules, its prediction and the text about them. If something prevents
/// tuning (memory, a file), the text says so and the estimate stays.
void tune(transpose_plan::state &plan, const tuning_request &request,
          const instrument_maker &make_instrument);

/// Measures plans of `ctx` on scratch memory.
instrument_maker scratch_instruments(const context &ctx);

} // namespace tenfold::transpose_impl
