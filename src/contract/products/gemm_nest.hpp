// A matrix product inside loops: chooses the modes that form the matrices; loops run over the
// others.
#pragma once

#include <optional>

#include "contract/choose/candidate.hpp"
#include "contract/choose/cost_model.hpp"
#include "contract/choose/matrix_problem.hpp"
#include "gemm/plan/blocking.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::contract_impl {

struct gemm_nest {
    /// The modes of one product; extent 1 and stride 0 for an empty group.
    einsum_impl::problem_mode m, n, k;
    einsum_impl::mode_group loops; ///< positions of D: batch modes and the remaining m and n modes
    einsum_impl::mode_group sums;  ///< the remaining k modes, summed by adding products up in D
    /// A batch mode of stride 1 in A, B and D: all products along it are computed at once.
    std::optional<einsum_impl::problem_mode> lanes;
    int loop_threads = 1; ///< threads over `loops`
    int gemm_threads = 1; ///< threads within one product
    tensor_sizes whole;   ///< of the tensors, or those of which they are tiles
    double seconds = 0;   ///< predicted
    /// Block sizes of the product; empty: its own, if they fit the workspace limit.
    std::optional<gemm_impl::blocking> blocks;

    /// False if the tensors are three matrices, and so its product is all there is to do.
    bool looped() const noexcept { return !loops.empty() || !sums.empty() || lanes; }
};

/// The shape of one product of the nest.
gemm_impl::gemm_shape product_shape(const matrix_problem &problem, const gemm_nest &nest) noexcept;

/// The cheapest nest within the environment's workspace limit, or the one with the least workspace
/// if none fits. Prices every choice of one mode per group for the matrices, with threads over the
/// loops or inside the products, and with interleaved products if there are any. O(modes^3).
gemm_nest best_nest(const matrix_problem &problem, const cost_model &model,
                    const plan_environment &environment);

/// Cost of the cheapest nest, and its workspace if there is a limit (else 0).
struct nest_price {
    double seconds;
    byte_count workspace;
};
nest_price price_nest(const matrix_problem &problem, const cost_model &model,
                      const plan_environment &environment);

/// Makes the candidate of a nest: `direct` if it has no loops, else `gemm_loop`.
candidate_ptr make_gemm_loop(const matrix_problem &problem, const gemm_nest &nest,
                             const plan_environment &environment);

} // namespace tenfold::contract_impl
