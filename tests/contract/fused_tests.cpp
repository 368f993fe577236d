// Tests fused packing with tiles of any extents, any arrangements and threads against the
// reference, bit for bit on small integers.
#include <cstring>

#include <gtest/gtest.h>

#include "base/context_of.hpp"
#include "contract/choose/planner.hpp"
#include "contract/random_problem.hpp"
#include "contract/random_tiles.hpp"
#include "contract/reference/reference.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

using contract_impl::candidate_ptr;
using einsum_impl::contraction_problem;

input as_input(const random_tensor &tensor, bool conjugate) {
    const input operand(tensor.type, tensor.data(), tensor.shape);
    return conjugate ? conj(operand) : operand;
}

/// Tiles read a C apart from D only where they are rounded; otherwise it is copied before.
random_tensor &c_of(random_problem &from) {
    return is_arithmetic(from.d.type) || from.in_place ? from.d : from.c;
}

contraction_problem classify(random_problem &from) {
    const std::vector<input> inputs{as_input(from.inputs[0], from.conjugate_a),
                                    as_input(from.inputs[1], from.conjugate_b)};
    return einsum_impl::make_problem(from.spec, inputs, as_input(c_of(from), false),
                                     output(from.d.type, from.d.data(), from.d.shape),
                                     from.diagonal_output);
}

void check_cases(int count, std::int64_t most_products) {
    int tried = 0;
    for (const int test_case : cases(count)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        random_problem drawn = make_random_problem(random, most_products);
        if (drawn.inputs.size() < 2)
            continue;
        const contraction_problem problem = classify(drawn);
        if (problem.empty_output() || problem.empty_sum())
            continue;
        SCOPED_TRACE(drawn.describe());
        const void *a = drawn.inputs[0].data();
        const void *b = drawn.inputs[1].data();
        random_tensor expected = drawn.d;
        contract_impl::reference_contract(contract_impl::reference_loops(problem),
                                          {drawn.alpha, a, b, drawn.beta, c_of(drawn).data()},
                                          expected.data());

        contract_impl::plan_environment environment;
        const context &ctx = context::global();
        environment.ctx = &ctx;
        environment.threads = static_cast<int>(random.integer(1, 3));
        const contract_impl::cost_model model(
            problem.computed, gemm_impl::gemm_plan_options::from(ctx), base::rates_of(ctx));
        const candidate_ptr fused =
            contract_impl::make_tiled(problem, random_form(problem, random), model, environment);
        SCOPED_TRACE(fused->describe());
        execute_among_nans(fused, {drawn.alpha, a, b, drawn.beta, c_of(drawn).data()},
                           drawn.d.data());
        ASSERT_TRUE(same_values(drawn.d, expected));
        ++tried;
    }
    const auto all = static_cast<int>(cases(count).size());
    if (all > 1) {
        EXPECT_GT(tried, all / 2);
    }
}

TEST(Fused, SmallContractionsInTilesOfAnyExtent) { check_cases(6000, 4000); }

TEST(Fused, LargerContractionsInTilesOfAnyExtent) { check_cases(150, 500'000); }

} // namespace
} // namespace tenfold::testing
