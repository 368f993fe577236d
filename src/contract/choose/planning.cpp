#include "contract/choose/planning.hpp"

#include <cstdlib>

#include "base/context_of.hpp"
#include "contract/choose/product_fit.hpp"
#include "contract/products/permute.hpp"
#include "contract/tiles/arrangement.hpp"

namespace tenfold::contract_impl {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::D;
using einsum_impl::mode_group;
using einsum_impl::tensor_id;

const cost_model &planning::model() {
    if (!model_) {
        const context &ctx = *environment.ctx;
        model_.emplace(problem.computed, product_options(environment, 1), base::rates_of(ctx));
    }
    return *model_;
}

bool planning::multiplies_in_place() const noexcept {
    return problem.multiplies_as_stored() && !problem.rounds_d();
}

std::string planning::no_product_in_place() const {
    if (!problem.multiplies_as_stored())
        return problem.unary
                   ? std::string(name(problem.type[A])) + " is converted before it is summed"
                   : std::string(name(problem.type[A])) + " and " +
                         std::string(name(problem.type[B])) + " are multiplied as " +
                         std::string(name(problem.computed)) + ": conversion comes first";
    if (problem.rounds_d())
        return "sums are in " + std::string(name(problem.computed)) +
               " and rounded where they move into D, which is " +
               std::string(name(problem.type[D]));
    if (is_permutation(problem))
        return "one input and no sum: there is nothing to multiply";
    return {};
}

const matrix_problem &planning::matrices() {
    if (!matrices_)
        matrices_ = matrix_problem_of(problem);
    return *matrices_;
}

const gemm_nest &planning::nest() {
    if (!nest_)
        nest_ = best_nest(matrices(), model(), environment);
    return *nest_;
}

bool planning::lies_like_matrices() {
    if (!multiplies_in_place() || problem.unary || !problem.isolated_a.empty() ||
        !problem.isolated_b.empty())
        return false;
    const matrix_problem &all = matrices();
    if (!all.batch.empty() || all.m.size() > 1 || all.n.size() > 1 || all.k.size() > 1)
        return false;
    const auto is_adjacent = [](const mode_group &group, tensor_id tensor) {
        return !group.empty() && std::abs(group.front().stride[tensor]) == 1;
    };
    const auto has_rows = [&](const mode_group &one, const mode_group &other, tensor_id tensor) {
        return is_adjacent(one, tensor) || is_adjacent(other, tensor) ||
               (one.empty() && other.empty());
    };
    return has_rows(all.m, all.k, A) && has_rows(all.k, all.n, B) && has_rows(all.m, all.n, D);
}

const tiled_forms &planning::forms() {
    if (!forms_)
        forms_ = best_tiled_forms(
            problem, model(), environment,
            // An epilogue costs one form more than another.
            {of_each, most_seconds, environment.only_cheapest() && environment.finish == nullptr});
    return *forms_;
}

} // namespace tenfold::contract_impl
