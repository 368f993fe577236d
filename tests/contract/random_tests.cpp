// Compares every algorithm with the reference on random contractions, bit for bit: values are small
// integers, so that every order of summation gives the same sums.
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "contract/algorithms.hpp"
#include "contract/random_problem.hpp"
#include "contract/reference/reference.hpp"
#include "support/every_isa.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

input as_input(const random_tensor &tensor, bool conjugate) {
    const input operand(tensor.type, tensor.data(), tensor.shape);
    return conjugate ? conj(operand) : operand;
}

/// Sets all elements of D's buffer to NaN, which shows elements that are not written, or read with
/// beta = 0.
void poison(random_tensor &tensor) { // all bits set are NaN in every type
    std::memset(tensor.buffer.data(), 0xff, tensor.buffer.size());
}

const std::vector<const context *> &contexts() {
    static const auto owned = contexts_of_every_isa(settings::from_environment());
    static const auto pointers = [] {
        std::vector<const context *> all;
        for (const auto &one : owned)
            all.push_back(one.get());
        return all;
    }();
    return pointers;
}

bool have_blis() {
    static const bool found = [] {
        settings wanted = settings::from_environment();
        wanted.backend = backend::blis;
        try {
            const context probe(wanted);
            return true;
        } catch (const error &) {
            return false;
        }
    }();
    return found;
}

const std::vector<algorithm> algorithms = [] {
    std::vector<algorithm> all = testing::fast_algorithms();
    all.insert(all.end(), 2, algorithm::automatic);
    return all;
}();

/// Runs the problem in D's buffer with these options. Returns false if the algorithm cannot do it.
bool run(const random_problem &problem, random_tensor &d, const contract_options &options) {
    std::vector<input> inputs{as_input(problem.inputs[0], problem.conjugate_a)};
    if (problem.inputs.size() > 1)
        inputs.push_back(as_input(problem.inputs[1], problem.conjugate_b));
    const input c = as_input(problem.in_place ? d : problem.c, problem.conjugate_c);
    const output target(d.type, d.data(), d.shape);
    try {
        const contraction_plan plan = make_plan(problem.spec, inputs, c, target, options);
        const status done = plan.execute(
            problem.alpha, inputs[0].data(), inputs.size() > 1 ? inputs[1].data() : nullptr,
            problem.beta, problem.beta == 0.0 && !problem.in_place ? nullptr : c.data(), d.data());
        EXPECT_TRUE(done.ok()) << done.message();
        return true;
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::unsupported) << refused.what();
        EXPECT_NE(options.algorithm, algorithm::automatic) << refused.what();
        return false;
    }
}

void check_cases(int count, std::int64_t most_products) {
    std::map<algorithm, int> ran;
    for (const int test_case : cases(count)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        random_problem problem = make_random_problem(random, most_products);
        SCOPED_TRACE(problem.describe());
        if (problem.beta == 0.0)
            poison(problem.d);

        contract_options options;
        options.diagonal_output = problem.diagonal_output;
        options.algorithm = algorithm::reference;
        random_tensor expected = problem.d;
        ASSERT_TRUE(run(problem, expected, options));

        options.ctx = random.pick(contexts());
        options.algorithm = random.pick(algorithms);
        options.threads = static_cast<int>(random.integer(1, 3));
        options.reproducible = random.chance(0.2);
        if (*options.reproducible)
            options.algorithm = algorithm::automatic; // there is one
        if (have_blis() && random.chance(0.1) && !*options.reproducible)
            options.backend = backend::blis;
        SCOPED_TRACE("algorithm " + std::string(name(options.algorithm)) + ", ISA " +
                     std::string(name(options.ctx->isa())) + ", " +
                     std::to_string(options.threads) + " threads");
        random_tensor result = problem.d;
        if (!run(problem, result, options))
            continue;
        ++ran[options.algorithm];
        ASSERT_TRUE(same_values(result, expected));
    }
    const auto tried = static_cast<int>(cases(count).size()); // TENFOLD_TEST_CASES may reduce it
    if (tried > 1000) {
        for (const algorithm one : algorithms)
            EXPECT_GT(ran[one], tried / 100) << name(one) << " was hardly tried";
    }
}

TEST(Random, SmallContractionsEqualTheReference) { check_cases(20000, 4000); }

TEST(Random, LargerContractionsEqualTheReference) { check_cases(300, 2'000'000); }

} // namespace
} // namespace tenfold::testing
