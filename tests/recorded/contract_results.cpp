// Contractions of one, two and a few inputs: every algorithm, type and kind of label.
#include <algorithm>

#include <gtest/gtest.h>

#include "contract/random_network.hpp"
#include "contract/random_problem.hpp"
#include "recorded/reals.hpp"
#include "recorded/recording.hpp"
#include "recorded/results.hpp"

namespace tenfold::testing {
namespace {

constexpr std::uint64_t contract_seed = 1001;
constexpr std::uint64_t network_seed = 1002;

const std::vector<data_type> types{data_type::f32, data_type::f64,  data_type::c32,
                                   data_type::c64, data_type::bf16, data_type::f16};

const std::vector<algorithm> algorithms{
    algorithm::automatic, algorithm::automatic, algorithm::automatic, algorithm::direct,
    algorithm::gemm_loop, algorithm::ttgt,      algorithm::loops,     algorithm::fused};

template <class Tensor> void fill(Tensor &tensor, random_source &random) {
    fill_with_reals(tensor.type, tensor.buffer.data(),
                    static_cast<index_t>(tensor.buffer.size()) / size_of(tensor.type), random);
}

/// Fills with real numbers instead of the generator's integers.
template <class Problem> void fill_all(Problem &problem, random_source &random) {
    for (auto &one : problem.inputs)
        fill(one, random);
    fill(problem.c, random);
    if (problem.in_place)
        problem.d = problem.c;
    else
        fill(problem.d, random);
    const bool complex = is_complex(problem.d.type);
    problem.alpha = random_factor(random, complex);
    problem.beta = random.chance(0.4) ? 0.0 : random_factor(random, complex);
}

input operand(const random_tensor &tensor, bool conjugate) {
    const input one(tensor.type, tensor.data(), tensor.shape);
    return conjugate ? conj(one) : one;
}

/// Returns false, with D unchanged, if the algorithm cannot do the problem.
bool run(random_problem &problem, const contract_options &options) {
    std::vector<input> inputs{operand(problem.inputs[0], problem.conjugate_a)};
    std::vector<const void *> data{problem.inputs[0].data()};
    if (problem.inputs.size() > 1) {
        inputs.push_back(operand(problem.inputs[1], problem.conjugate_b));
        data.push_back(problem.inputs[1].data());
    }
    random_tensor &d = problem.d;
    const input c = operand(problem.in_place ? d : problem.c, problem.conjugate_c);
    try {
        const contraction_plan plan =
            make_plan(problem.spec, inputs, c, output(d.type, d.data(), d.shape), options);
        const status done = plan.execute(problem.alpha, data, problem.beta, c.data(), d.data());
        EXPECT_TRUE(done.ok()) << done.message();
        return true;
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::unsupported) << refused.what();
        EXPECT_NE(options.algorithm, algorithm::automatic) << refused.what();
        return false;
    }
}

/// Most problems are small, so that there are many kinds; some have sums that are cut.
std::int64_t most_products(int number) { return number % 8 == 7 ? 100'000 : 3000; }

} // namespace

lines contract_results(const recorded_row &row) {
    lines result;
    for (const data_type type : types) {
        group_hash all(row.name + " " + std::string(name(type)));
        for (int number = 0; number < row.cases; ++number) {
            random_source random(contract_seed, number);
            random_problem problem = make_random_problem(random, most_products(number), type);
            fill_all(problem, random);
            contract_options options;
            options.ctx = &row.ctx;
            options.bf16_sums = bf16_sums::widened; // the same on every processor
            options.diagonal_output = problem.diagonal_output;
            options.reproducible = random.chance(0.2);
            options.algorithm = random.pick(algorithms);
            bits_hash one;
            if (!run(problem, options)) {
                one.add("refused");
                options.algorithm = algorithm::automatic;
                run(problem, options);
            }
            one.add_elements(problem.d.data(), size_of(problem.d.type), problem.d.shape);
            all.add(number, one, [&] {
                return std::string(name(options.algorithm)) +
                       (*options.reproducible ? ", reproducible: " : ": ") + problem.describe();
            });
        }
        result.push_back(std::string(name(type)) + " " + all.text());
    }
    return result;
}

lines network_results(const recorded_row &row) {
    lines result;
    for (const data_type type : types) {
        group_hash all(row.name + " " + std::string(name(type)));
        for (int number = 0; number < row.cases; ++number) {
            random_source random(network_seed, number);
            random_network_problem problem = make_random_network(
                random, static_cast<int>(random.integer(3, 5)), most_products(number), type);
            problem.d.conjugated = false;
            if (problem.in_place)
                problem.c.conjugated = false;
            fill_all(problem, random);
            contract_options options;
            options.ctx = &row.ctx;
            options.bf16_sums = bf16_sums::widened; // the same on every processor
            options.reproducible = random.chance(0.2);
            network_tensor &d = problem.d;
            const input c = problem.in_place ? d.in() : problem.c.in();
            const contraction_plan plan =
                make_plan(problem.spec, problem.operands(), c, d.out(), options);
            std::vector<const void *> data;
            for (const network_tensor &input : problem.inputs)
                data.push_back(input.data());
            const status done = plan.execute(problem.alpha, data, problem.beta, c.data(), d.data());
            EXPECT_TRUE(done.ok()) << done.message();
            bits_hash one;
            one.add_elements(d.data(), size_of(d.type), d.shape);
            all.add(number, one, [&] { return problem.describe(); });
        }
        result.push_back(std::string(name(type)) + " " + all.text());
    }
    return result;
}

} // namespace tenfold::testing
