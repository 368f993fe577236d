// The search of tuning: which choices are tried, and which of them counts as faster than the
// estimate. An instrument measures the times; nothing here reads a clock of its own.
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

/// The effort of a level for one schedule. A schedule replaces the estimate only if it was faster
/// by `margin` in the median of interleaved samples, twice.
struct tuning_effort {
    double seconds;    ///< in all, about
    int candidates;    ///< in the first race, with the estimate
    int samples;       ///< of each candidate in a race
    int sweeps;        ///< over single choices, starting from the best; 0: one race and its
                       ///< confirmation
    double margin;     ///< least ratio to the estimate's seconds
    double step;       ///< the same for a step of the search, which is confirmed at the end
    bool wide;         ///< more values of more choices
    bool ends = false; ///< no sample begins when the seconds have passed
};
const tuning_effort &effort_of(tuning level) noexcept; ///< for measure and patient
/// The same within so many seconds, and with more candidates if these are more.
tuning_effort limited(tuning_effort effort, double seconds) noexcept;

/// Makes the problem's schedule with given choices.
using scheduler = std::function<schedule(const schedule_options &)>;

/// A choice and the values that are worth trying.
struct trial {
    index_t schedule_options::*field;
    std::vector<index_t> values;
};
/// Returns the trials in the order in which they are made; more of them if `wide`.
std::vector<trial> trials(const schedule &estimate, const base::machine &machine, bool wide);

struct candidate {
    schedule_options choices;
    schedule made;
};
/// Returns `from` with one choice changed, for each value of the trials. Leaves out candidates that
/// make the same schedule as `from` or another candidate.
std::vector<candidate> variations(const candidate &from, const std::vector<trial> &trials,
                                  const scheduler &make);

struct search_result : tuning_impl::search_record {
    schedule_options choices; ///< the defaults if the estimate stands
    std::string refusal;      ///< why nothing could be compared; empty otherwise
};
search_result search(const scheduler &make, const base::machine &machine,
                     const tuning_effort &effort, instrument &with);

} // namespace tenfold::transpose_impl
