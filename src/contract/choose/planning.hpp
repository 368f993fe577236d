// One problem being planned: what kinds of candidates are asked for, and what they share.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "contract/choose/candidate.hpp"
#include "contract/choose/cost_model.hpp"
#include "contract/choose/matrix_problem.hpp"
#include "contract/products/gemm_nest.hpp"
#include "contract/tiles/tile_search.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// Preparations that several kinds need are made when the first of them asks, and kept. Problem and
/// environment must outlive it.
class planning {
public:
    planning(const einsum_impl::contraction_problem &the_problem,
             const plan_environment &the_environment, std::size_t most_of_each) noexcept
        : problem(the_problem), environment(the_environment), of_each(most_of_each) {}

    const einsum_impl::contraction_problem &problem; ///< in which something is multiplied
    const plan_environment &environment;
    const std::size_t of_each; ///< candidates that a kind may offer
    /// What takes so long need not be offered.
    double most_seconds = std::numeric_limits<double>::infinity();

    const cost_model &model();
    /// Whether products and loops read the operands, and write D, as they are. One input of a type
    /// that is narrower than D's is converted.
    bool multiplies_in_place() const noexcept;
    /// Why the data is not multiplied where it lies; empty if it can be.
    std::string no_product_in_place() const;
    /// The problem as the tensors lie, and the cheapest products for it.
    const matrix_problem &matrices();
    const gemm_nest &nest();
    /// Whether A, B and D lie like three matrices, each with adjacent elements along one of its
    /// modes, which is all that packing wants.
    bool lies_like_matrices();
    /// Of TTGT and fused packing, which are found together.
    const tiled_forms &forms();

private:
    std::optional<cost_model> model_;
    std::optional<matrix_problem> matrices_;
    std::optional<gemm_nest> nest_;
    std::optional<tiled_forms> forms_;
};

} // namespace tenfold::contract_impl
