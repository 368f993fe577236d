// Sums of many mixed products of one shape, C = beta C + alpha sum_i A_i B_i: batch-reduce GEMM, as
// reduce.hpp has for products of one type.
#pragma once

#include <optional>

#include "gemm/plan/choose.hpp"
#include "gemm/plan/mixed_plan.hpp"

namespace tenfold::gemm_impl {

/// Immutable. If C has few rows and columns, the sum is cut into leaves, which a fixed tree adds
/// up. The leaves depend on the shape only, so the result does not depend on the number of threads.
class mixed_reduce_plan {
public:
    /// Throws errc::overflow.
    mixed_reduce_plan(mixed_product product, const product_sum &sum,
                      const gemm_plan_options &options);

    byte_count workspace_size() const noexcept;

    /// As mixed_plan::execute_sum; `terms` are those of the sum.
    template <class Out>
    void execute(const mixed_operands<Out> &x, const product_terms &terms) const noexcept;

    reduce_form form() const noexcept { return form_; }
    index_t leaves() const noexcept { return leaves_; }
    int threads() const noexcept { return threads_; }

private:
    mixed_reduce_plan(mixed_product product, const product_sum &sum,
                      const gemm_plan_options &options, const chosen_sum &chosen);
    template <class Out>
    void add_leaves_of(const mixed_operands<Out> &x, const product_terms &terms) const noexcept;
    index_t leaf_bytes() const noexcept;

    gemm_shape shape_; ///< of one product
    index_t count_;
    reduce_form form_ = reduce_form::chain;
    index_t leaves_ = 1;
    int threads_ = 1;
    mixed_plan product_;             ///< the whole sum, or the product with a longer k
    std::optional<mixed_plan> leaf_; ///< its sum, if there are several
};

} // namespace tenfold::gemm_impl
