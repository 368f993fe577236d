// Compares paths with all sequences of contractions, and with known optima of classical problems.
#include <cmath>

#include <gtest/gtest.h>

#include "einsum/path/tree.hpp"
#include "networks.hpp"

namespace tenfold::testing {
namespace {

using einsum_impl::contraction_path;
using einsum_impl::find_paths;
using einsum_impl::label_set;
using einsum_impl::network;

contraction_path cheapest(const network &net) { return find_paths(net, false).at(0); }

double cost_of(std::string_view expression, const std::map<std::string, index_t> &extents,
               index_t other = 1) {
    return cheapest(network_of(expression, extents, other)).multiply_adds;
}

void expect_close(double actual, double expected) {
    EXPECT_NEAR(actual, expected, 1e-12 * expected);
}

TEST(Path, EqualsExhaustiveSearch) {
    for (const int test_case : cases(1000)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        // Seven inputs have 56,700 sequences, so that only a few such cases are run.
        const auto inputs =
            static_cast<std::size_t>(test_case % 20 == 0 ? 7 : random.integer(2, 6));
        const network net = random_network(random, inputs, 9);
        const contraction_path path = cheapest(net);
        EXPECT_EQ(path.origin, einsum_impl::path_origin::optimal);
        expect_close(path.multiply_adds, best_of_all(net, INFINITY).multiply_adds);
        const sequence_cost cost = replay(net, path);
        expect_close(path.multiply_adds, cost.multiply_adds);
        EXPECT_EQ(path.peak, cost.peak);
        if (::testing::Test::HasFailure())
            return;
    }
}

TEST(Path, WithLessMemoryEqualsExhaustiveSearch) {
    int alternatives = 0;
    for (const int test_case : cases(1000)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const network net =
            random_network(random, static_cast<std::size_t>(random.integer(3, 5)), 9);
        const std::vector<contraction_path> paths = find_paths(net, true);
        for (std::size_t i = 0; i < paths.size(); ++i) {
            const sequence_cost cost = replay(net, paths[i]);
            expect_close(paths[i].multiply_adds, cost.multiply_adds);
            EXPECT_EQ(paths[i].peak, cost.peak);
            // Nothing is cheaper with that memory, nor with any memory less than the path before
            // needs.
            expect_close(paths[i].multiply_adds, best_of_all(net, paths[i].peak).multiply_adds);
            if (i > 0)
                expect_close(
                    paths[i].multiply_adds,
                    best_of_all(net, std::nextafter(paths[i - 1].peak, 0.0)).multiply_adds);
        }
        // Nothing needs less memory than the last path.
        EXPECT_EQ(best_of_all(net, std::nextafter(paths.back().peak, -1.0)).multiply_adds,
                  INFINITY);
        expect_close(paths.front().multiply_adds, cheapest(net).multiply_adds);
        alternatives += paths.size() > 1 ? 1 : 0;
        if (::testing::Test::HasFailure())
            return;
    }
    if (cases(1000).size() > 100) {
        EXPECT_GT(alternatives, 20) << "the networks are too simple to tell";
    }
}

TEST(Path, MatrixChains) {
    // Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, section 14.2 (4th edition).
    EXPECT_EQ(cost_of("ag=ab*bc*cd*de*ef*fg",
                      {{"a", 30}, {"b", 35}, {"c", 15}, {"d", 5}, {"e", 10}, {"f", 20}, {"g", 25}}),
              15125);
    EXPECT_EQ(cost_of("ad=ab*bc*cd", {{"a", 10}, {"b", 100}, {"c", 5}, {"d", 50}}), 7500);
    // A vector at the end reverses the order.
    EXPECT_EQ(cost_of("a=ab*bc*cd*d", {}, 100), 3 * 100 * 100);
}

TEST(Path, Attention) {
    const std::map<std::string, index_t> few_keys{{"b", 2},  {"h", 4},  {"q", 16},
                                                  {"k", 16}, {"d", 64}, {"v", 64}};
    EXPECT_EQ(cost_of("bhqd,bhkd,bhkv->bhqv", few_keys), 2 * 4 * (16 * 16 * 64 + 16 * 16 * 64));
    std::map<std::string, index_t> many_keys = few_keys; // keys and values first, then
    many_keys["q"] = many_keys["k"] = 1024;
    EXPECT_EQ(cost_of("bhqd,bhkd,bhkv->bhqv", many_keys),
              2.0 * 4 * (1024 * 64 * 64 + 1024 * 64 * 64));
}

/// Returns <psi|psi> of a matrix product state of `sites` tensors: bonds l0.. and r0.., physical
/// p0..
std::string norm_of_mps(int sites) {
    std::string inputs;
    for (int i = 0; i < sites; ++i)
        for (const char *side : {"l", "r"}) {
            inputs += inputs.empty() ? "[" : "*[";
            if (i > 0)
                inputs += side + std::to_string(i - 1) + ",";
            inputs += "p" + std::to_string(i);
            if (i + 1 < sites)
                inputs += std::string(",") + side + std::to_string(i);
            inputs += "]";
        }
    return "[]=" + inputs;
}

/// Multiply-adds from left to right: the environment is contracted with each tensor of bra and ket.
double zipped(int sites, double bond, double physical) {
    const double end = physical * bond * bond;
    return end + (sites - 2) * 2 * end * bond + end + physical * bond;
}

TEST(Path, MatrixProductStates) {
    const std::map<std::string, index_t> physical{
        {"p0", 2}, {"p1", 2}, {"p2", 2}, {"p3", 2}, {"p4", 2}};
    for (const int sites : {2, 3}) { // 4 and 6 tensors
        const network net = network_of(norm_of_mps(sites), physical, 16);
        expect_close(cheapest(net).multiply_adds, best_of_all(net, INFINITY).multiply_adds);
    }
    const network five = network_of(norm_of_mps(5), physical, 16);
    EXPECT_EQ(cheapest(five).origin, einsum_impl::path_origin::optimal);
    EXPECT_LE(cheapest(five).multiply_adds, zipped(5, 16, 2));

    // The effective Hamiltonian of a sweep, applied to a site: environments, operator and state.
    const network sweep =
        network_of("ijk=lwi*lpr*wxpj*rxk", {{"w", 5}, {"x", 5}, {"p", 2}, {"j", 2}}, 32);
    expect_close(cheapest(sweep).multiply_adds, best_of_all(sweep, INFINITY).multiply_adds);
    expect_close(cheapest(sweep).multiply_adds,
                 32.0 * 32 * 32 * 5 * 2 + 32.0 * 32 * 5 * 5 * 2 * 2 + 32.0 * 32 * 32 * 5 * 2);
}

TEST(Path, TuckerReconstruction) {
    const std::map<std::string, index_t> extents{{"i", 50}, {"j", 40}, {"k", 30},
                                                 {"a", 5},  {"b", 6},  {"c", 7}};
    const network net = network_of("ia,jb,kc,abc->ijk", extents);
    expect_close(cheapest(net).multiply_adds, best_of_all(net, INFINITY).multiply_adds);
    // The longest mode comes last, so that large intermediates are made late.
    EXPECT_EQ(cheapest(net).multiply_adds, 5.0 * 6 * 7 * 30 + 5 * 6 * 30 * 40 + 5.0 * 50 * 40 * 30);
}

TEST(Path, CoupledClusterTerm) {
    constexpr double o = 10, v = 40;
    EXPECT_EQ(cost_of("abij=klcd*acik*dblj", {{"i", 10}, {"j", 10}, {"k", 10}, {"l", 10}}, 40),
              2 * o * o * o * v * v * v);
}

TEST(Path, LabelsOfMoreThanTwoTensors) {
    // A label of all inputs stays until the last contraction.
    EXPECT_EQ(cost_of("ai,bi,ci->abc", {}, 10), 10.0 * 10 * 10 + 10.0 * 10 * 10 * 10);
    // The outer product comes first here, which a rule about common labels would exclude.
    EXPECT_EQ(cost_of("a,b,abc->abc", {}, 10), 100 + 1000);
    // An element-wise product.
    EXPECT_EQ(cost_of("a,a,a,a->a", {}, 7), 3 * 7);
}

TEST(Path, LabelsOfOneInputAreSummedFirstWhereThatHelps) {
    EXPECT_EQ(cost_of("ab=ax*bc*c", {{"a", 10}, {"x", 20}, {"b", 30}, {"c", 40}}),
              30 * 40 + 10 * 20 + 10 * 30);
    // A vector times a matrix: the sum alone would cost as much as the product, and is done with
    // it.
    const network vector = network_of("=ax*a*b", {{"a", 10}, {"x", 20}, {"b", 1}});
    EXPECT_EQ(cheapest(vector).multiply_adds, 200 + 1);
    EXPECT_EQ(cheapest(vector).peak, 1);
}

TEST(Path, ScalarsAndTensorsWithoutACommonLabel) {
    EXPECT_EQ(cost_of(",ab,->ab", {{"a", 10}, {"b", 20}}), 1 + 200);
    EXPECT_EQ(cost_of("a,b,c->abc", {{"a", 2}, {"b", 30}, {"c", 40}}), 2 * 30 + 2 * 30 * 40);
}

TEST(Path, SizesBeyondDoubleAreInfiniteAndHarmless) {
    // A chain of eight tensors of 21 labels each.
    constexpr std::size_t labels = 161;
    network net;
    net.extents.assign(labels, index_t{1} << 62);
    net.output = label_set(labels, {0, 160});
    for (int i = 0; i < 8; ++i) {
        net.operands.emplace_back(labels);
        for (int k = 0; k <= 20; ++k)
            net.operands.back().insert(20 * i + k);
    }
    const contraction_path path = cheapest(net);
    EXPECT_EQ(path.multiply_adds, INFINITY);
    EXPECT_EQ(path.steps.size(), 7U);
    EXPECT_EQ(einsum_impl::multiply_adds_at_once(net), INFINITY);
    EXPECT_GE(find_paths(net, true).size(), 1U);
}

TEST(Path, GreedyPathsArePaths) {
    for (const int test_case : cases(60)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const auto inputs = static_cast<std::size_t>(random.integer(11, 20));
        const network net = random_network(random, inputs, 3);
        for (const contraction_path &path : find_paths(net, true)) {
            EXPECT_EQ(path.origin, einsum_impl::path_origin::greedy);
            const sequence_cost cost = replay(net, path);
            expect_close(path.multiply_adds, cost.multiply_adds);
            EXPECT_EQ(path.peak, cost.peak);
        }
        if (::testing::Test::HasFailure())
            return;
    }
}

TEST(Path, GreedyIsCloseToOptimal) {
    double logarithms = 0;
    const std::vector<int> all = cases(60);
    for (const int test_case : all) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const network net = random_network(random, 11, 6);
        const double best =
            einsum_impl::path_of(net, einsum_impl::optimal_trees(net, false)[0]).multiply_adds;
        const contraction_path path = cheapest(net);
        EXPECT_EQ(path.origin, einsum_impl::path_origin::greedy);
        EXPECT_GE(path.multiply_adds, best * (1 - 1e-12));
        logarithms += std::log(path.multiply_adds / best);
    }
    EXPECT_LT(std::exp(logarithms / static_cast<double>(all.size())), 1.2);
}

TEST(Path, PiecesOfGreedyTreesAreOptimal) {
    for (const int test_case : cases(60)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        // Six inputs are optimised as one piece.
        const network net = random_network(random, 6, 9);
        for (const auto &tree : einsum_impl::greedy_trees(net))
            expect_close(einsum_impl::path_of(net, tree).multiply_adds,
                         cheapest(net).multiply_adds);
    }
}

TEST(Path, GreedyIsGoodForChainsAndMatrixProductStates) {
    std::string chain = "[x0,x30]=";
    for (int i = 0; i < 30; ++i)
        chain += (i > 0 ? "*[x" : "[x") + std::to_string(i) + ",x" + std::to_string(i + 1) + "]";
    expect_close(cost_of(chain, {}, 10), 29 * 1000.0);
    chain.replace(0, 9, "[x0]=");
    chain += "*[x30]";
    expect_close(cost_of(chain, {}, 10), 30 * 100.0);

    std::map<std::string, index_t> physical;
    for (int i = 0; i < 20; ++i)
        physical["p" + std::to_string(i)] = 2;
    EXPECT_LE(cost_of(norm_of_mps(20), physical, 16), 2 * zipped(20, 16, 2));
}

} // namespace
} // namespace tenfold::testing
