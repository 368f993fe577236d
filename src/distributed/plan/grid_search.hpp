// Chooses the processor grid, and its layouts, by the predicted seconds of all that ranks do.
#pragma once

#include <string>

#include <tenfold/error.hpp>

#include "base/text.hpp"
#include "distributed/plan/grid_bounds.hpp"
#include "distributed/plan/redistributions.hpp"

namespace tenfold::dist_impl {

/// errc::workspace_too_small because of memory_per_rank, with the smallest limit that suffices.
class memory_refusal : public error {
public:
    /// `of` names the candidates that were tried, if these are not all.
    memory_refusal(byte_count least, byte_count limit, const std::string &of = "")
        : error(errc::workspace_too_small,
                "memory per rank: " + base::describe(limit) + " is not enough; the least" + of +
                    " is " + base::describe(least) + " (" + std::to_string(least.value) + " bytes)",
                {.least = least}) {}
    byte_count least() const noexcept { return *details().least; }
};

/// What plans of one contraction, one after the other, need not find again.
struct shared_tables {
    split_tables splits;
    given_operands operands;
};

/// Returns the layouts of the cheapest grid; `plan` is complete except for the layouts, `cuts` are
/// those of its problem, `tables` those of earlier plans of the contraction, or new ones. The cost
/// is the seconds of multiplying the largest block and of all that the busiest rank receives, one
/// after the other (costs.hpp). Memory decides among grids that cost nearly the same. If that grid
/// does not fit memory_per_rank with its usual steps, returns the cheapest one that fits with some
/// steps; what is received repeatedly then counts. Throws memory_refusal, errc::invalid_argument (a
/// forced grid).
layouts choose_layouts(const plan_state &plan, const group_cuts &cuts, shared_tables &tables);

} // namespace tenfold::dist_impl
