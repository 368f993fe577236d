// Tests contractions of more than two distributed tensors.
#include <cstring>

#include "base/with_type.hpp"
#include "contract/random_network.hpp"
#include "contract/reference/reference.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

template <class T> tensor_view<const T> view_of(const network_tensor &tensor) {
    return {reinterpret_cast<const T *>(tensor.data()), tensor.shape};
}

/// Compares one random network on random distributions with a single loop nest, bit for bit.
template <class T> void run_network(random_network_problem &problem, random_source &random) {
    const int size = ranks().size();
    const auto spread = [&](const layout &shape) {
        return random.chance(0.5) ? distribution::block(shape.extents(), size)
                                  : random_distribution(random, shape.extents(), size);
    };
    std::vector<dist_tensor<T>> tensors;
    for (const network_tensor &one : problem.inputs) {
        tensors.emplace_back(ranks(), one.shape.extents(), spread(one.shape));
        tensors.back().scatter(view_of<T>(one), 0);
    }
    std::vector<dist_input<T>> inputs;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        inputs.push_back(problem.inputs[i].conjugated ? conj(tensors[i])
                                                      : dist_input<T>(tensors[i]));
    problem.c = problem.d;
    problem.c.conjugated = problem.d.conjugated = false;
    dist_tensor<T> d(ranks(), problem.d.shape.extents(), spread(problem.d.shape));
    d.scatter(view_of<T>(problem.c), 0);

    dist_options options;
    options.alpha = problem.alpha;
    options.beta = problem.beta;
    options.diagonal_output = true;
    options.reproducible = random.chance(0.2);
    const dist_sequence_report report = contract<T>(problem.spec.to_string(), inputs, d, options);

    contract_impl::reference_contract(
        {problem.spec, problem.operands(), problem.alpha, problem.beta, problem.c.in()},
        problem.d.out());
    const tensor<T> found = d.gather_all();
    const tensor_view<const T> expected = view_of<T>(problem.d);
    index_t wrong = 0;
    for_each_position(extents_t(static_cast<std::size_t>(found.shape().order()), 0),
                      found.shape().extents(), [&](const extents_t &position) {
                          wrong += found.data()[found.shape().offset_of(position)] !=
                                   expected.data()[expected.shape().offset_of(position)];
                      });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(report.bytes_received_max, report.plan.summary().bytes_received);
    EXPECT_EQ(report.redistribution_max, report.plan.summary().redistribution);
}

TEST(DistSequence, RandomNetworksEqualPlainLoops) {
    for (const int test_case : cases_per_rank(300)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        random_network_problem problem =
            make_random_network(random, static_cast<int>(random.integer(3, 6)), 20000);
        SCOPED_TRACE(problem.describe());
        base::with_arithmetic_type(problem.inputs[0].type, // half precision is not distributed
                                   [&]<class T>(T) { run_network<T>(problem, random); });
        if (::testing::Test::HasFailure())
            return;
    }
}

TEST(DistSequence, OneAndTwoInputsAreOneStep) {
    dist_tensor<double> a(ranks(), {5, 7}), b(ranks(), {7, 6}), ab(ranks(), {5, 6}),
        turned(ranks(), {7, 5});
    fill_values(a, 1);
    fill_values(b, 2);
    dist_tensor<double> expected(ranks(), {5, 6}), expected_turned(ranks(), {7, 5});
    contract("mn=mk*kn", a, b, expected);
    contract("km=mk", a, expected_turned);
    const dist_sequence_report two = contract("mn=mk*kn", {a, b}, ab);
    contract("km=mk", std::vector<dist_input<double>>{a}, turned);
    EXPECT_TRUE(equal(ab.gather_all(), expected.gather_all()));
    EXPECT_TRUE(equal(turned.gather_all(), expected_turned.gather_all()));
    EXPECT_EQ(two.steps.size(), 1u);
}

TEST(DistSequence, UpdatesWithTheExpressionsOwnFactor) {
    dist_tensor<double> a(ranks(), {6, 5}), b(ranks(), {5, 8}), c(ranks(), {8, 4}),
        d(ranks(), {6, 4});
    fill_values(a, 1);
    fill_values(b, 2);
    fill_values(c, 3);
    fill_values(d, 4);
    tensor<double> expected = d.gather_all();
    contract("il-=0.5*ij*jk*kl", {a, b, c}, d);
    contract("il-=0.5*ij*jk*kl", {a.gather_all(), b.gather_all(), c.gather_all()}, expected);
    EXPECT_TRUE(equal(d.gather_all(), expected));
}

/// Fills with numbers whose sums depend on the order in their last bits.
template <class T> void fill_reals(dist_tensor<T> &tensor, int salt) {
    tensor.fill([salt](const extents_t &offsets, tensor_view<T> block) {
        T *next = block.data();
        for_each_position(offsets, block.shape().extents(), [&](const extents_t &position) {
            *next++ = value_at<T>(position, salt) / T(3) + value_at<T>(position, salt + 10) / T(7);
        });
    });
}

TEST(DistSequence, ReproducibleBitsDependOnNothingElse) {
    // Runs the same contraction on all ranks and on one rank only.
    const int size = ranks().size();
    const auto run = [&](bool on_one) {
        const auto make = [&](const extents_t &extents) {
            return dist_tensor<double>(ranks(), extents,
                                       on_one ? distribution::on_rank(extents, size, 0)
                                              : distribution::block(extents, size));
        };
        dist_tensor<double> a = make({40, 300}), b = make({300, 50, 7}), c = make({7, 50, 31}),
                            d = make({40, 31});
        fill_reals(a, 1);
        fill_reals(b, 2);
        fill_reals(c, 3);
        contract("D[i,l]=A[i,j]*B[j,k,m]*C[m,k,l]", {a, b, c}, d, {.reproducible = true});
        return d.gather_all();
    };
    const tensor<double> spread = run(false), alone = run(true);
    EXPECT_EQ(std::memcmp(spread.data(), alone.data(),
                          static_cast<std::size_t>(alone.size()) * sizeof(double)),
              0);
}

TEST(DistSequence, KeepsToAMemoryLimitAndNamesTheLeast) {
    const std::vector<extents_t> extents{{24, 20}, {20, 28, 3}, {3, 28, 16}, {24, 16}};
    const char *expression = "D[i,l]=A[i,j]*B[j,k,m]*C[m,k,l]";
    dist_tensor<double> a(ranks(), extents[0]), b(ranks(), extents[1]), c(ranks(), extents[2]),
        d(ranks(), extents[3]);
    fill_values(a, 1);
    fill_values(b, 2);
    fill_values(c, 3);
    const tensor<double> untouched = d.gather_all();
    const failure refused = failure_of([&] {
        contract(expression, {a, b, c}, d, {.memory_per_rank = bytes(1000)});
    });
    ASSERT_EQ(refused.code, errc::workspace_too_small);
    EXPECT_TRUE(equal(d.gather_all(), untouched));
    const std::size_t at = refused.message.rfind('(');
    ASSERT_NE(at, std::string::npos) << refused.message;
    const index_t least = std::atoll(refused.message.c_str() + at + 1);
    EXPECT_EQ(failure_of([&] {
                  contract(expression, {a, b, c}, d, {.memory_per_rank = bytes(least - 1)});
              }).code,
              errc::workspace_too_small);
    const dist_sequence_report report =
        contract(expression, {a, b, c}, d, {.memory_per_rank = bytes(least)});
    EXPECT_LE(report.peak_bytes_max.value, least + 16 * 64);
    EXPECT_LE(report.plan.summary().peak.value, least);
    tensor<double> expected({24, 16});
    contract(expression, {a.gather_all(), b.gather_all(), c.gather_all()}, expected);
    EXPECT_TRUE(equal(d.gather_all(), expected));
}

TEST(DistSequence, RefusesWithOneErrorOnAllRanks) {
    dist_tensor<double> a(ranks(), {6, 5}), b(ranks(), {5, 8}), c(ranks(), {8, 4}),
        d(ranks(), {6, 4});
    const auto refused = [&](std::string_view expression, const dist_options &options = {}) {
        const failure what = failure_of([&] { contract(expression, {a, b, c}, d, options); });
        EXPECT_TRUE(same_on_all_ranks(what.message)) << what.message;
        return what;
    };
    const failure extent = refused("il=ij*jk*lk");
    EXPECT_EQ(extent.code, errc::extent_mismatch);
    EXPECT_NE(extent.message.find("input 3"), std::string::npos) << extent.message;
    EXPECT_EQ(refused("il=ij*jl").code, errc::order_mismatch);
    EXPECT_EQ(refused("im=ij*jk*kl").code, errc::unknown_label);
    EXPECT_EQ(refused("il=ij*jk*kl", {.grid = processor_grid{}}).code, errc::invalid_argument);
    EXPECT_EQ(refused("il+=ij*jk*kl", {.beta = 1.0}).code, errc::invalid_argument);
    EXPECT_EQ(failure_of([&] { contract("il=ij*jk*kl", {a, b, d}, d); }).code, errc::overlap);
    if (ranks().size() > 1) {
        const bool odd = ranks().rank() % 2 == 1;
        EXPECT_EQ(refused(odd ? "il=ij*jk*kl" : "il=2*ij*jk*kl").code, errc::disagreement);
        EXPECT_EQ(failure_of([&] {
                      contract("il=ij*jk*kl", {odd ? conj(a) : dist_input<double>(a), b, c}, d);
                  }).code,
                  errc::disagreement);
    }
}

} // namespace
} // namespace tenfold::testing
