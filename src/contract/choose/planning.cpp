#include "contract/choose/planning.hpp"

#include "base/context_of.hpp"
#include "contract/choose/product_fit.hpp"
#include "contract/products/permute.hpp"
#include "contract/tiles/arrangement.hpp"

namespace tenfold::contract_impl {

using einsum_impl::A;
using einsum_impl::D;

const cost_model &planning::model() {
    if (!model_) {
        // What is reproducible must not depend on the number of threads, so neither may the choice;
        // nor may it depend on what was measured when.
        const context &ctx = *environment.ctx;
        model_.emplace(problem.type[D], product_options(environment, 1),
                       environment.reproducible ? machine_rates::typical_of(ctx.isa())
                                                : base::rates_of(ctx));
    }
    return *model_;
}

bool planning::multiplies_as_given() const noexcept { return multiplies_natively(problem.type[A]); }

std::string planning::no_product_in_place() const {
    if (!multiplies_as_given())
        return std::string(name(problem.type[A])) + " is converted before it is multiplied";
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

const tiled_forms &planning::forms() {
    if (!forms_)
        forms_ = best_tiled_forms(problem, model(), environment, of_each);
    return *forms_;
}

} // namespace tenfold::contract_impl
