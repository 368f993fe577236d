// Compares contractions of many inputs with one loop nest, bit for bit: values are small integers,
// so that every order of contraction gives the same sums.
#include <gtest/gtest.h>

#include "contract/random_network.hpp"
#include "contract/reference/reference.hpp"
#include "support/guarded.hpp"

namespace tenfold::testing {
namespace {

std::vector<const void *> data_of(const random_network_problem &problem) {
    std::vector<const void *> data;
    for (const network_tensor &one : problem.inputs)
        data.push_back(one.data());
    return data;
}

/// The problem's C if the result goes into `d`.
input c_beside(const random_network_problem &problem, const network_tensor &d) {
    return problem.in_place ? input(d.type, d.data(), d.shape) : problem.c.in();
}

contraction_plan plan_for(const random_network_problem &problem, network_tensor &d,
                          const contract_options &options) {
    return make_plan(problem.spec, problem.operands(), c_beside(problem, d), d.out(), options);
}

/// Runs the problem with the result in `d`, with exactly the workspace that the plan needs.
void run(const random_network_problem &problem, network_tensor &d,
         const contract_options &options) {
    const contraction_plan plan = plan_for(problem, d, options);
    if (options.workspace_limit) {
        EXPECT_LE(plan.workspace_size(), *options.workspace_limit);
    }
    guarded_buffer workspace(static_cast<std::size_t>(plan.workspace_size().value));
    const void *c =
        problem.beta == 0.0 && !problem.in_place ? nullptr : c_beside(problem, d).data();
    const status done = plan.execute(problem.alpha, data_of(problem), problem.beta, c, d.data(),
                                     {workspace.data(), workspace.size()});
    EXPECT_TRUE(done.ok()) << done.message();
    EXPECT_TRUE(workspace.guards_intact());
}

/// Returns the smallest limit that the library names in its error, or -1 if the options' limit
/// suffices.
byte_count least_limit(random_network_problem &problem, const contract_options &options) {
    try {
        (void)plan_for(problem, problem.d, options);
        return bytes(-1);
    } catch (const error &refused) {
        EXPECT_EQ(name(refused.code()), name(errc::workspace_too_small)) << refused.what();
        const std::string message = refused.what();
        const std::string before = "needs at least ";
        return bytes(std::stoll(message.substr(message.find(before) + before.size())));
    }
}

void check_cases(int count, int most_inputs, std::int64_t most_products) {
    int limited = 0, exact = 0;
    for (const int test_case : cases(count)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        random_network_problem problem = make_random_network(
            random, static_cast<int>(random.integer(3, most_inputs)), most_products);
        if (problem.in_place)
            problem.c.conjugated = false;
        problem.d.conjugated = false;
        if (problem.beta == 0.0)
            poison(problem.d);
        SCOPED_TRACE(problem.describe());

        network_tensor expected = problem.d;
        contract_impl::reference_contract({problem.spec, problem.operands(), problem.alpha,
                                           problem.beta,
                                           problem.in_place ? expected.in() : problem.c.in()},
                                          expected.out());

        contract_options options;
        options.threads = static_cast<int>(random.integer(1, 3));
        options.reproducible = random.chance(0.2);
        if (random.chance(0.1) && !*options.reproducible)
            options.algorithm = algorithm::reference;
        network_tensor result = problem.d;
        run(problem, result, options);
        ASSERT_TRUE(same_values(result, expected));

        // The same plan fits the workspace that it needs.
        options.algorithm = algorithm::automatic;
        options.workspace_limit = std::nullopt;
        const byte_count needed = plan_for(problem, problem.d, options).workspace_size();
        options.workspace_limit = needed;
        EXPECT_EQ(least_limit(problem, options), bytes(-1));

        // Runs again with as little workspace as possible.
        options.workspace_limit = bytes(0);
        const byte_count least = least_limit(problem, options);
        if (least.value < 0)
            continue;
        options.workspace_limit = least;
        network_tensor frugal = problem.d;
        run(problem, frugal, options);
        ASSERT_TRUE(same_values(frugal, expected));
        options.workspace_limit = bytes(least.value - 1);
        const byte_count less = least_limit(problem, options);
        EXPECT_TRUE(less >= least || less.value < 0) << least.value << ", then " << less.value;
        ++limited;
        exact += less == least && least <= needed ? 1 : 0;
    }
    // The library's minimum is not exact if pieces of memory leave gaps: a smaller limit may
    // suffice.
    EXPECT_GE(exact, limited * 95 / 100);
}

TEST(RandomNetworks, AFewInputsEqualOneNestOfLoops) { check_cases(1500, 5, 2000); }

TEST(RandomNetworks, ManyInputsEqualOneNestOfLoops) { check_cases(150, 13, 4000); }

} // namespace
} // namespace tenfold::testing
