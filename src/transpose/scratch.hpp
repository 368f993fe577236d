// Measures on scratch memory that is laid out as a plan's tensors are; users' data is never
// touched.
#pragma once

#include <optional>
#include <vector>

#include "base/workspace.hpp"
#include "transpose/plan/plan_state.hpp"
#include "transpose/search.hpp"

namespace tenfold::transpose_impl {

/// Returns the bytes of A and B with their strides; empty if they exceed 64 bits.
std::optional<byte_count> scratch_bytes(const transpose_plan::state &plan) noexcept;

/// Executes schedules of one plan, on sets of tensors in turn (tuning_impl::sets_in_turn), so that
/// a set is in cache only if it fits the second-level cache.
class scratch_instrument final : public instrument {
public:
    /// Measures for a plan of `ctx`. Throws errc::out_of_memory, and errc::unsupported if the
    /// system does not provide the memory within `most_seconds`: virtual machines may provide pages
    /// at a tenth of the rate of a copy.
    scratch_instrument(const transpose_plan::state &plan, const context &ctx, double most_seconds);

    double seconds(const schedule &candidate) override;

    std::size_t sets() const noexcept { return sets_.size(); }

private:
    struct tensors {
        base::workspace_lease a, b;
    };

    /// Executes one schedule repeatedly.
    double take(const schedule &candidate, int executions);

    transpose_plan::state plan_;
    base::workspace_pool pool_; ///< not the context's, which would keep the memory
    std::vector<tensors> sets_;
    std::size_t turn_ = 0;       ///< the set that is used next
    int executions_[2] = {0, 0}; ///< per sample: overwriting, accumulating; 0: not known yet
};

} // namespace tenfold::transpose_impl
