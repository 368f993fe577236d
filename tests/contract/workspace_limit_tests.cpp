// Tests that plans keep a workspace limit and compute the same results.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "contract/random_problem.hpp"
#include "support/described_machines.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

const std::vector<algorithm> algorithms{algorithm::automatic, algorithm::direct,
                                        algorithm::gemm_loop, algorithm::ttgt, algorithm::fused};

input as_input(const random_tensor &tensor, bool conjugate) {
    const input operand(tensor.type, tensor.data(), tensor.shape);
    return conjugate ? conj(operand) : operand;
}

std::vector<input> inputs_of(const random_problem &problem) {
    std::vector<input> inputs{as_input(problem.inputs[0], problem.conjugate_a)};
    if (problem.inputs.size() > 1)
        inputs.push_back(as_input(problem.inputs[1], problem.conjugate_b));
    return inputs;
}

contraction_plan plan(const random_problem &problem, random_tensor &d,
                      const contract_options &options) {
    const input c = as_input(problem.in_place ? d : problem.c, problem.conjugate_c);
    return make_plan(problem.spec, inputs_of(problem), c, output(d.type, d.data(), d.shape),
                     options);
}

/// Runs in exactly the workspace that the plan states.
void run(const random_problem &problem, random_tensor &d, const contraction_plan &plan) {
    guarded_buffer workspace(static_cast<std::size_t>(plan.workspace_size().value));
    const random_tensor &c = problem.in_place ? d : problem.c;
    const void *b = problem.inputs.size() > 1 ? problem.inputs[1].data() : nullptr;
    const status done = plan.execute(problem.alpha, problem.inputs[0].data(), b, problem.beta,
                                     c.data(), d.data(), {workspace.data(), workspace.size()});
    ASSERT_TRUE(done.ok()) << done.message();
    EXPECT_TRUE(workspace.guards_intact());
}

/// Returns the number in "needs at least N bytes of workspace"; 0 if no workspace is needed.
index_t least_limit(const random_problem &problem, random_tensor &d, contract_options options) {
    options.workspace_limit = bytes(0);
    try {
        static_cast<void>(plan(problem, d, options));
        return 0;
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::workspace_too_small) << refused.what();
        const std::string message = refused.what(), before = "needs at least ";
        return std::stoll(message.substr(message.find(before) + before.size()));
    }
}

struct tally {
    int shaped = 0, sliced = 0;
};

void check_limits(const random_problem &problem, contract_options options, random_source &random,
                  std::map<algorithm, tally> &tried) {
    random_tensor d = problem.d;
    std::optional<contraction_plan> free;
    try {
        free.emplace(plan(problem, d, options));
    } catch (const error &refused) {
        ASSERT_EQ(refused.code(), errc::unsupported) << refused.what();
        return;
    }
    const index_t most = free->workspace_size().value;
    if (most == 0)
        return;
    contract_options plainly = options;
    plainly.algorithm = algorithm::reference;
    plainly.reproducible = false;
    plainly.backend = backend::native;
    random_tensor expected = problem.d;
    run(problem, expected, plan(problem, expected, plainly));

    SCOPED_TRACE(free->explain());
    const index_t least = least_limit(problem, d, options);
    ASSERT_LE(least, most);
    for (const double part : {0.0, random.real(), random.real(), 1.0}) {
        // Draws small limits as often as large ones.
        const double low = std::log(static_cast<double>(std::max<index_t>(least, 1)));
        const double high = std::log(static_cast<double>(most));
        const auto drawn = static_cast<index_t>(std::exp(low + part * (high - low)));
        const index_t limit = part == 0.0 ? least : std::clamp(drawn, least, most);
        SCOPED_TRACE("limit " + std::to_string(limit) + " of " + std::to_string(most) +
                     ", at least " + std::to_string(least));
        options.workspace_limit = bytes(limit);
        const contraction_plan limited = plan(problem, d, options);
        SCOPED_TRACE(limited.explain());
        ASSERT_LE(limited.workspace_size().value, limit);
        EXPECT_EQ(limited.summary().without_limit.has_value(), limit < most);
        d = problem.d;
        run(problem, d, limited);
        ASSERT_TRUE(same_values(d, expected));
        tally &count = tried[options.algorithm];
        count.shaped += limit < most;
        count.sliced += limited.explain().find("chosen: ttgt: slices: ") != std::string::npos;
    }
}

void check_cases(int count, std::int64_t most_products) {
    std::map<algorithm, tally> tried;
    for (const int test_case : cases(count)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const random_problem problem = make_random_problem(random, most_products);
        contract_options options;
        options.diagonal_output = problem.diagonal_output;
        options.algorithm = random.pick(algorithms);
        options.threads = static_cast<int>(random.integer(1, 3));
        options.reproducible = random.chance(0.2);
        if (*options.reproducible)
            options.algorithm = algorithm::automatic; // there is one
        SCOPED_TRACE(problem.describe() + "\nalgorithm " + std::string(name(options.algorithm)) +
                     ", " + std::to_string(options.threads) + " threads");
        check_limits(problem, options, random, tried);
        if (::testing::Test::HasFatalFailure())
            return;
    }
    const auto all = static_cast<int>(cases(count).size());
    if (all < 300)
        return;
    // Small products in loops need no workspace; larger contractions have others.
    for (const algorithm one : {algorithm::automatic, algorithm::ttgt, algorithm::fused})
        EXPECT_GT(tried[one].shaped, all / 100) << name(one) << " was hardly tried";
    EXPECT_GT(tried[algorithm::ttgt].sliced, all / 100) << "slices were hardly tried";
}

TEST(WorkspaceLimit, SmallContractionsEqualTheReference) { check_cases(1500, 4000); }

TEST(WorkspaceLimit, LargerContractionsEqualTheReference) { check_cases(150, 500'000); }

TEST(WorkspaceLimit, LargestContractionsEqualTheReference) { check_cases(60, 20'000'000); }

/// Products whose D is a part of a tensor that leaves the caches have larger blocks.
TEST(WorkspaceLimit, IsKeptByProductsThatWriteALargeTensor) {
    settings one_thread;
    one_thread.threads = 1;
    const auto ctx = narrow_machine(isa::generic).make_context(one_thread);
    const layout a({64, 120, 10}), b({120, 64, 10}), d({120, 120, 10});
    contract_options options{.algorithm = algorithm::gemm_loop, .ctx = ctx.get()};
    const auto workspace = [&](std::optional<byte_count> limit) {
        options.workspace_limit = limit;
        const output of_d(data_type::f64, nullptr, d);
        return make_plan("mnl=kml*nkl", input(data_type::f64, nullptr, a),
                         input(data_type::f64, nullptr, b), of_d, options)
            .workspace_size()
            .value;
    };
    const index_t most = workspace(std::nullopt);
    index_t least = 0;
    try {
        workspace(bytes(0));
    } catch (const error &refused) {
        const std::string message = refused.what(), before = "needs at least ";
        least = std::stoll(message.substr(message.find(before) + before.size()));
    }
    ASSERT_GT(most, 2 * least);
    ASSERT_GT(least, 0);
    for (index_t limit = least; limit < most; limit += 1024)
        EXPECT_LE(workspace(bytes(limit)), limit);
}

/// Values whose sums are rounded, so that the order of summation shows.
TEST(WorkspaceLimit, ReproducibleResultsDoNotDependOnThreadsOrLimits) {
    tensor<float> a({14, 12, 15, 40}), b({13, 40, 11, 12});
    for (index_t i = 0; i < a.shape().size(); ++i)
        a.data()[i] = 1 / static_cast<float>(i % 97 + 1);
    for (index_t i = 0; i < b.shape().size(); ++i)
        b.data()[i] = 1 / static_cast<float>(i % 89 + 1);
    const auto run = [&](std::optional<byte_count> limit, int threads) {
        tensor<float> d({14, 15, 11, 13});
        contract("abcd=aebf*dfce", a, b, d,
                 {.workspace_limit = limit, .threads = threads, .reproducible = true});
        return std::vector<float>(d.data(), d.data() + d.shape().size());
    };
    const std::vector<float> alone = run(std::nullopt, 1);
    for (const index_t limit : {100, 200, 400})
        for (const int threads : {1, 2, 3})
            EXPECT_EQ(run(kib(limit), threads), alone)
                << limit << " KiB, " << threads << " threads";
}

} // namespace
} // namespace tenfold::testing
