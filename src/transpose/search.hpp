// Tuning's search: which choices are tried, and which of them is believed to be faster than the
// estimate. What a run takes is told by an instrument; nothing here looks at a clock of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tenfold/types.hpp>

#include "base/machine.hpp"
#include "transpose/plan/schedule.hpp"
#include "tuning/measuring.hpp"
#include "tuning/wisdom.hpp"

namespace tenfold::transpose_impl {

using instrument = tuning_impl::instrument<schedule>;

/// What a level may spend on one schedule. The estimate is only given up for what was faster by
/// `margin` in the median of interleaved samples, twice.
struct tuning_effort {
    double seconds; ///< in all, about
    int candidates; ///< of the first race, the estimate included
    int samples;    ///< of each candidate in a race
    int sweeps;     ///< over single choices from the best on; 0: one race and its confirmation
    double margin;  ///< least ratio to the estimate's seconds
    double step;    ///< the same, for a step of the search that is confirmed at the end
    bool wide;      ///< more values of more choices
};
const tuning_effort &effort_of(tuning level) noexcept; ///< of measure and patient

/// Makes the problem's schedule with some choices.
using scheduler = std::function<schedule(const schedule_options &)>;

/// A choice and the values that are worth a try.
struct trial {
    index_t schedule_options::*field;
    std::vector<index_t> values;
};
/// In the order in which they are tried. `wide`: more of them.
std::vector<trial> trials(const schedule &estimate, const base::machine &machine, bool wide);

struct candidate {
    schedule_options choices;
    schedule made;
};
/// `from` with one choice changed, each of the trials' values in turn; none that makes the schedule
/// of `from` or of another candidate.
std::vector<candidate> variations(const candidate &from, const std::vector<trial> &trials,
                                  const scheduler &make);

struct search_result : tuning_impl::search_record {
    schedule_options choices; ///< the defaults: the estimate stands
    std::string refusal;      ///< why nothing could be compared; empty otherwise
};
search_result search(const scheduler &make, const base::machine &machine,
                     const tuning_effort &effort, instrument &with);

} // namespace tenfold::transpose_impl
