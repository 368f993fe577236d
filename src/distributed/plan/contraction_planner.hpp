// Plans one contraction for many ways in which its operands may lie.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "distributed/plan/grid_search.hpp"
#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

class contraction_planner {
public:
    /// Of `operands`, the inputs in order, then the output, only extents and ranks count. Throws as
    /// plan_at().
    contraction_planner(const prices &price, const contraction_spec &spec, operand_types types,
                        std::span<const distribution> operands, const dist_options &options);

    /// As plan_at(), with this grid, or the cheapest.
    dist_plan plan(std::span<const distribution> operands,
                   const std::optional<processor_grid> &grid, plan_detail detail) const;

    /// The grids of a plan, in any order, in a small part of its time: the plan does not take fewer
    /// seconds than the cheapest of them.
    std::vector<priced_grid> grids(std::span<const distribution> operands) const;

private:
    /// A plan whose layouts are still to be chosen.
    std::shared_ptr<internals::state_of<dist_plan>>
    begin(std::span<const distribution> operands) const;

    internals::state_of<dist_plan> known_; ///< all but where operands lie
    group_cuts cuts_;
    mutable shared_tables tables_; ///< one thread plans at a time
    const context *ctx_;
};

} // namespace tenfold::dist_impl
