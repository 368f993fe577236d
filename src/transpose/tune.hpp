// Tunes a plan by wisdom, or else by a search on scratch memory.
//
// `estimate` measures nothing and takes what wisdom has. `measure` searches for the schedule that
// will run, judging by the options (beta = 0 unless they name another beta); `patient` searches for
// both. A search is skipped if wisdom has one of the same level or a higher one. HPTT and
// FFTW name their levels in the same way.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <tenfold/context.hpp>

#include "base/workspace.hpp"
#include "transpose/plan/plan_state.hpp"
#include "transpose/search.hpp"
#include "transpose/wisdom.hpp"

namespace tenfold::transpose_impl {

/// The inputs of tuning beside the plan.
struct tuning_request {
    const context &ctx;
    tuning level;
    bool accumulates;                             ///< judging by the options
    wisdom *known = nullptr;                      ///< null if there is no wisdom
    std::optional<double> seconds = std::nullopt; ///< that all searches may take; empty: their own
};

/// Returns an instrument that is ready in about so many seconds; throws tenfold::error if it
/// cannot.
using instrument_maker =
    std::function<std::unique_ptr<instrument>(const plan_state &, double seconds)>;

/// Replaces the plan's schedules, its prediction and the text about them. If something prevents
/// tuning (memory, a file), the text says so and the estimate stays.
void tune(plan_state &plan, const tuning_request &request, const instrument_maker &make_instrument);

/// Returns the bytes of A and B with their strides; empty if they exceed 64 bits.
std::optional<byte_count> scratch_bytes(const plan_state &plan) noexcept;

/// Measures on scratch memory that is laid out as a plan's tensors are; users' data is never
/// touched. Executes schedules of one plan, on sets of tensors in turn (tuning_impl::sets_in_turn),
/// so that a set is in cache only if it fits the second-level cache.
class scratch_instrument final : public instrument {
public:
    /// Measures for a plan of `ctx`. Throws errc::out_of_memory, and errc::unsupported if the
    /// system does not provide the memory within `most_seconds`: virtual machines may provide pages
    /// at a tenth of the rate of a copy.
    scratch_instrument(const plan_state &plan, const context &ctx, double most_seconds);

    double seconds(const schedule &candidate) override;

    std::size_t sets() const noexcept { return sets_.size(); }

private:
    struct tensors {
        base::workspace_lease a, b;
    };

    /// Executes one schedule repeatedly.
    double take(const schedule &candidate, int executions);

    plan_state plan_;
    base::workspace_pool pool_; ///< not the context's, which would keep the memory
    std::vector<tensors> sets_;
    std::size_t turn_ = 0;       ///< the set that is used next
    int executions_[2] = {0, 0}; ///< per sample: overwriting, accumulating; 0: not known yet
};

/// Measures plans of `ctx` on scratch memory.
instrument_maker scratch_instruments(const context &ctx);

} // namespace tenfold::transpose_impl
