// Many products of one shape: planned once, then each computed by one thread or shared by all.
#pragma once

#include <tenfold/gemm_batch.hpp>

#include "gemm/plan/choose.hpp"
#include "gemm/plan/plan.hpp"

namespace tenfold::gemm_impl {

class batch_plan {
public:
    /// Throws what gemm_plan throws.
    batch_plan(const gemm_shape &shape, index_t count, const gemm_plan_options &options);

    byte_count workspace_size() const noexcept;

    template <class T> using operands =
        product_operands<scalar, const matrix_batch<const T> &, const matrix_batch<T> &>;
    /// Pointers as in gemm_plan::execute.
    template <class T> void execute(const operands<T> &x) const noexcept;

    /// dealt() products are computed by one thread each, by team() threads at the same time; the
    /// whole team computes the others one after the other.
    index_t dealt() const noexcept { return deal_.dealt; }
    int team() const noexcept { return deal_.team; }

private:
    index_t count_;
    gemm_plan alone_;  ///< one product on one thread
    gemm_plan shared_; ///< one product on all threads
    chosen_deal deal_;
};

} // namespace tenfold::gemm_impl
