// Tuning's search: which of the candidates is believed to be faster than the one that the cost
// model prefers. What a run takes is told by an instrument; nothing here looks at a clock of its
// own.
#pragma once

#include <span>
#include <string>

#include <tenfold/types.hpp>

#include "contract/choose/candidate.hpp"
#include "tuning/measuring.hpp"
#include "tuning/wisdom.hpp"

namespace tenfold::contract_impl {

using instrument = tuning_impl::instrument<candidate>;

/// What a level may spend. The estimate is only given up for what was faster by `margin` in the
/// median of interleaved samples, twice.
struct tuning_effort {
    double seconds;         ///< in all, about
    std::size_t of_each;    ///< candidates of each algorithm
    std::size_t candidates; ///< of all, the estimate included
    double reach;           ///< none that is predicted to take so many times the estimate's seconds
    int samples;            ///< of each candidate in a race
    double step;            ///< least ratio to the estimate's seconds that is worth a second look
    double margin;          ///< the same, of what is taken
};
const tuning_effort &effort_of(tuning level) noexcept; ///< of measure and patient

struct search_result : tuning_impl::search_record {
    std::size_t best = 0; ///< 0: the estimate stands
    std::string refusal;  ///< why nothing could be compared; empty otherwise
};
/// Of a field of candidates, the first of which is the estimate.
search_result search(std::span<const candidate_ptr> field, const tuning_effort &effort,
                     instrument &with);

} // namespace tenfold::contract_impl
