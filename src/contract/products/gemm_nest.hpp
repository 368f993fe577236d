// A matrix product inside loops: which modes form the matrices and which are looped over.
#pragma once

#include <optional>

#include "contract/choose/candidate.hpp"
#include "contract/choose/cost_model.hpp"
#include "contract/choose/matrix_problem.hpp"
#include "gemm/plan/blocking.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::contract_impl {

struct gemm_nest {
    /// The modes of one product; extent 1 and stride 0 where a group is empty.
    einsum_impl::problem_mode m, n, k;
    einsum_impl::mode_group loops; ///< positions of D: batch and left-over m and n modes
    einsum_impl::mode_group sums;  ///< left-over k modes, added up in D
    int loop_threads = 1;          ///< threads over `loops`
    int gemm_threads = 1;          ///< threads within one product
    double whole_d = 0;            ///< elements of the tensor that D is, or is a tile of
    double seconds = 0;            ///< predicted
    /// Of the product, where its own would exceed the workspace limit.
    std::optional<gemm_impl::blocking> blocks;

    bool looped() const noexcept { return !loops.empty() || !sums.empty(); }
};

/// One product of the nest.
gemm_impl::gemm_shape product_shape(const matrix_problem &problem, const gemm_nest &nest) noexcept;

/// The cheapest nest within the environment's workspace limit: every choice of one mode per group
/// for the matrices is priced, with the threads outside or inside the product. If none fits, the
/// one that needs least. O(modes^3).
gemm_nest best_nest(const matrix_problem &problem, const cost_model &model,
                    const plan_environment &environment);

/// What the cheapest nest costs, and what it needs where there is a limit (else 0).
struct nest_price {
    double seconds;
    byte_count workspace;
};
nest_price price_nest(const matrix_problem &problem, const cost_model &model,
                      const plan_environment &environment);

/// The nest as a candidate: `direct` when nothing is left to loop over, else `gemm_loop`.
candidate_ptr make_gemm_loop(const matrix_problem &problem, const gemm_nest &nest,
                             const plan_environment &environment);

} // namespace tenfold::contract_impl
