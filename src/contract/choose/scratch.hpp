// Measuring on memory of our own, laid out as a plan's tensors are: users' data is never touched.
#pragma once

#include <optional>

#include "base/workspace.hpp"
#include "contract/choose/search.hpp"
#include "contract/front/plan_state.hpp"

namespace tenfold::contract_impl {

/// What A, B and D take with their strides; empty where that does not fit 64 bits.
std::optional<byte_count> scratch_bytes(const einsum_impl::contraction_problem &problem) noexcept;

/// Executes candidates for one problem, with beta = 0. Samples follow each other on the same
/// memory: what fits a cache is found there.
class scratch_instrument final : public instrument {
public:
    /// `workspace`: the most that a candidate needs. Throws errc::out_of_memory, and
    /// errc::unsupported where memory is not there in `most_seconds`.
    scratch_instrument(const contraction_plan::state &plan, byte_count workspace,
                       double most_seconds);

    double seconds(const candidate &one) override;

private:
    /// One execution after the other.
    double take(const candidate &one, int executions) const;

    base::workspace_pool pool_; ///< not the context's, which would keep the memory
    base::workspace_lease a_, b_, d_, workspace_;
    const void *from_a_;
    const void *from_b_;
    void *to_d_;
    int executions_ = 0; ///< per sample; 0: not known yet
};

} // namespace tenfold::contract_impl
