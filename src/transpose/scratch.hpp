// Measuring on memory of our own, laid out as a plan's tensors are: users' data is never touched.
#pragma once

#include <optional>
#include <vector>

#include "base/workspace.hpp"
#include "transpose/plan/plan_state.hpp"
#include "transpose/search.hpp"

namespace tenfold::transpose_impl {

/// What A and B take with their strides; empty where that does not fit 64 bits.
std::optional<byte_count> scratch_bytes(const transpose_plan::state &plan) noexcept;

/// Executes schedules of one plan, on sets of tensors in turn (tuning_impl::sets_in_turn): only
/// what fits the second-level cache is found in a cache.
class scratch_instrument final : public instrument {
public:
    /// For a plan of `ctx`. Throws errc::out_of_memory, and errc::unsupported where memory is not
    /// there in `most_seconds`: virtual machines may get pages at a tenth of the rate of a copy.
    scratch_instrument(const transpose_plan::state &plan, const context &ctx, double most_seconds);

    double seconds(const schedule &candidate) override;

    std::size_t sets() const noexcept { return sets_.size(); }

private:
    struct tensors {
        base::workspace_lease a, b;
    };

    /// One execution after the other.
    double take(const schedule &candidate, int executions);

    transpose_plan::state plan_;
    base::workspace_pool pool_; ///< not the context's, which would keep the memory
    std::vector<tensors> sets_;
    std::size_t turn_ = 0;       ///< the set that is used next
    int executions_[2] = {0, 0}; ///< per sample: overwriting, accumulating; 0: not known yet
};

} // namespace tenfold::transpose_impl
