// The search of tuning: looks for a candidate that is faster than the cost model's choice. An
// instrument provides all times, so the search itself reads no clock.
#pragma once

#include <span>
#include <string>

#include <tenfold/types.hpp>

#include "contract/choose/candidate.hpp"
#include "tuning/measuring.hpp"
#include "tuning/wisdom.hpp"

namespace tenfold::contract_impl {

using instrument = tuning_impl::instrument<candidate>;

/// The effort of a tuning level. The estimate is replaced only by a candidate that was faster by
/// `margin` in the median of interleaved samples, twice.
struct tuning_effort {
    double seconds;         ///< approximate total
    std::size_t of_each;    ///< candidates of each algorithm
    std::size_t candidates; ///< candidates in all, including the estimate
    double reach;           ///< largest predicted ratio to the estimate's seconds
    int samples;            ///< per candidate in a race
    double step;            ///< smallest gain over the estimate that is measured again
    double margin;          ///< smallest gain over the estimate that is adopted
};
const tuning_effort &effort_of(tuning level) noexcept; ///< for measure and patient

struct search_result : tuning_impl::search_record {
    std::size_t best = 0; ///< 0: the estimate stands
    std::string refusal;  ///< why nothing could be compared; else empty
};
/// Searches a field of candidates, the first of which is the estimate.
search_result search(std::span<const candidate_ptr> field, const tuning_effort &effort,
                     instrument &with);

} // namespace tenfold::contract_impl
