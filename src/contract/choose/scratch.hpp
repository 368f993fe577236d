// Measures candidates on scratch memory that is laid out like the plan's tensors. Users' data is
// never touched.
#pragma once

#include <optional>

#include "base/workspace.hpp"
#include "contract/choose/search.hpp"
#include "contract/front/plan_state.hpp"

namespace tenfold::contract_impl {

/// Bytes of A, B and D with their strides; empty if they do not fit 64 bits.
std::optional<byte_count> scratch_bytes(const einsum_impl::contraction_problem &problem) noexcept;

/// Executes candidates for one problem, with beta = 0. Samples reuse the same memory, so data that
/// fits a cache is warm.
class scratch_instrument final : public instrument {
public:
    /// `workspace` is the maximum over the candidates. Throws errc::out_of_memory, and
    /// errc::unsupported if setting up the memory takes longer than `most_seconds`.
    scratch_instrument(const plan_state &plan, byte_count workspace, double most_seconds);

    double seconds(const candidate &one) override;

private:
    /// Times `executions` consecutive executions.
    double take(const candidate &one, int executions) const;

    base::workspace_pool pool_; ///< a pool of its own, because the context's would keep the memory
    base::workspace_lease a_, b_, d_, workspace_;
    const void *from_a_;
    const void *from_b_;
    void *to_d_;
    int executions_ = 0; ///< per sample; 0: not known yet
};

} // namespace tenfold::contract_impl
