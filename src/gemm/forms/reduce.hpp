// Sums of many products of one shape, C = beta C + alpha sum_i A_i B_i: batch-reduce GEMM
// (Georganas et al. 2021, Tensor Processing Primitives).
#pragma once

#include <optional>
#include <string>

#include <tenfold/gemm_batch.hpp>

#include "gemm/forms/small.hpp"
#include "gemm/plan/choose.hpp"
#include "gemm/plan/plan.hpp"

namespace tenfold::gemm_impl {

/// Immutable. If C has few rows and columns, the batch is cut into leaves, which a fixed tree sums.
/// The leaves depend on shape and instruction set only, so the result does not depend on the number
/// of threads.
class reduce_plan {
public:
    /// Throws what gemm_plan throws, errc::overflow.
    reduce_plan(const product_sum &sum, const gemm_plan_options &options);

    byte_count workspace_size() const noexcept;

    /// D is C, a pointer as in gemm_plan::execute.
    template <class T> using operands =
        product_operands<scalar, const matrix_batch<const T> &, T *>;
    template <class T> void execute(const operands<T> &x) const noexcept;

    reduce_form form() const noexcept { return form_; }
    index_t leaves() const noexcept { return leaves_; }
    int threads() const noexcept { return threads_; }

private:
    template <class T> using typed_sum = product_operands<T, const matrix_batch<const T> &, T *>;
    template <class T> void add_in_registers(const typed_sum<T> &x, index_t d_step,
                                             base::range products,
                                             base::range columns) const noexcept;
    template <class T> void fill_leaf(const typed_sum<T> &x, base::range products) const noexcept;
    template <class T> void run_leaves(const typed_sum<T> &x) const noexcept;
    index_t leaf_bytes() const noexcept;

    gemm_shape shape_; ///< of one product, in the orientation in which it is computed (see small_)
    index_t count_;
    reduce_form form_ = reduce_form::chain;
    index_t leaves_ = 1;
    int threads_ = 1;
    std::optional<small_form> small_;
    cache_shares shares_;
    gemm_plan product_; ///< one of the products, or the one with a longer k
    gemm_plan partial_; ///< one of the products, on one thread, into a leaf
};

} // namespace tenfold::gemm_impl
