// Tests that any number of ranks gives the same bits: every group of ranks, from one to all,
// computes the same contraction of real numbers, and the results are compared bit for bit.
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "mpi/random_contraction.hpp"

namespace tenfold::testing {
namespace {

template <class T> class Reproducible : public ::testing::Test {};
using element_types = list_of_arithmetic_types<::testing::Types>;
TYPED_TEST_SUITE(Reproducible, element_types);

/// Returns ranks 0 .. count - 1 as a world of their own; empty on the other ranks.
std::optional<world> first_ranks(int count) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(ranks().comm(), ranks().rank() < count ? 0 : MPI_UNDEFINED, 0, &part);
    if (part == MPI_COMM_NULL)
        return std::nullopt;
    std::optional<world> result(part);
    MPI_Comm_free(&part);
    return result;
}

/// The whole tensor; empty on ranks that do not have it.
template <class T> using elements = std::optional<std::vector<T>>;

template <class T> elements<T> elements_of(const dist_tensor<T> &d) {
    const tensor<T> whole = d.gather_all();
    return std::vector<T>(whole.data(), whole.data() + whole.size());
}

/// Returns on all ranks whether both are equal on the ranks that have both.
template <class T> bool same_bits(const elements<T> &one, const elements<T> &other) {
    int same = 1;
    if (one && other)
        same = one->size() == other->size() &&
                       std::memcmp(one->data(), other->data(), one->size() * sizeof(T)) == 0
                   ? 1
                   : 0;
    int all = 0;
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, ranks().comm());
    return all == 1;
}

template <class T> void run_case(int test_case) {
    random_source random(test_case);
    const random_contraction c = draw_with_long_sums(random);
    const T alpha = static_cast<T>(static_cast<float>(random.integer(1, 7)) / 7.0F);
    const T beta = random.chance(0.4) ? T(0) : static_cast<T>(0.3F);
    dist_options options;
    options.reproducible = true;
    options.alpha = alpha;
    options.beta = beta;
    options.conj_a = random.chance(0.3);
    options.conj_b = !c.unary && random.chance(0.3);
    options.diagonal_output = c.diagonal_output;
    SCOPED_TRACE(c.expression);

    elements<T> first;
    for (int count = 1; count <= ranks().size(); ++count) {
        const bool any_step = random.chance(0.6);
        const bool any_spread = random.chance(0.5);
        const bool limited = random.chance(0.3);
        const step_size step = draw_step(random);
        std::vector<distribution> spreads;
        for (const extents_t &extents : c.extents)
            spreads.push_back(any_spread ? random_distribution(random, extents, count)
                                         : distribution::block(extents, count));
        const std::optional<world> some = first_ranks(count);
        elements<T> result;
        if (some) {
            if (any_step && !limited)
                options.step = step;
            dist_tensor<T> a(*some, c.extents[0], spreads[0]);
            dist_tensor<T> b(*some, c.unary ? extents_t{} : c.extents[1],
                             c.unary ? distribution::block({}, count) : spreads[1]);
            dist_tensor<T> d(*some, c.extents.back(), spreads.back());
            fill_reals(a, 1);
            fill_reals(b, 2);
            fill_reals(d, 3);
            if (limited) { // less memory than without a limit
                const auto spec =
                    parse(c.expression, c.unary ? std::vector<int>{a.order()}
                                                : std::vector<int>{a.order(), b.order()});
                const index_t free =
                    make_dist_plan(spec, data_type_of<T>, spreads, options).summary().peak.value;
                options.memory_per_rank = bytes(std::max<index_t>(free * 9 / 10, 1 << 18));
            }
            const auto run = [&] {
                return c.unary ? contract(c.expression, a, d, options)
                               : contract(c.expression, a, b, d, options);
            };
            std::optional<dist_report> done;
            if (const failure one = failure_of([&] { done = run(); });
                one.code == errc::workspace_too_small && options.memory_per_rank) {
                options.memory_per_rank.reset();
                done = run();
            }
            const dist_report &report = done.value();
            EXPECT_EQ(report.bytes_received_max, report.plan.summary().bytes_received);
            EXPECT_EQ(report.redistribution_max, report.plan.summary().redistribution);
            result = elements_of(d);
            if (!first)
                first = result;
            options.step.reset();
            options.memory_per_rank.reset();
        }
        ASSERT_TRUE(same_bits(first, result)) << "on " << count << " ranks";
    }
    // The error bound is that of any order of summation.
    tensor<T> expected(c.extents.back());
    for_each_position(extents_t(expected.shape().extents().size(), 0), expected.shape().extents(),
                      [&](const extents_t &position) {
                          expected.data()[expected.shape().offset_of(position)] =
                              real_at<T>(position, 3);
                      });
    double terms = 1;
    for (const index_t extent : c.label_extents)
        terms *= static_cast<double>(std::max<index_t>(1, extent));
    constexpr double slow = 2e5; // plain loops
    if (ranks().rank() == 0 && first && terms < slow) {
        contract_by_loops_of(
            c, alpha, options.conj_a, options.conj_b, beta, expected,
            [](std::span<const index_t> position, int salt) { return real_at<T>(position, salt); });
        const double epsilon =
            sizeof(T) / (is_complex(data_type_of<T>) ? 2 : 1) == 4 ? 5e-7 : 9e-16;
        for (index_t i = 0; i < expected.size(); ++i)
            ASSERT_LE(std::abs((*first)[static_cast<std::size_t>(i)] - expected.data()[i]),
                      epsilon * (terms + 8))
                << i;
    }
}

TYPED_TEST(Reproducible, OnAnyNumberOfRanks) {
    for (const int test_case : cases_per_rank(200)) {
        SCOPED_TRACE(rerun_line(test_case));
        run_case<TypeParam>(test_case);
    }
}

/// Grids of every kind, also with k divided, for matrices of several register tiles and steps.
TYPED_TEST(Reproducible, OnAnyGrid) {
    using T = TypeParam;
    const index_t m = 53, n = 37, k = 2600;
    const int size = ranks().size();
    std::vector<processor_grid> grids{{}, {.m = size}, {.n = size}};
    for (int parts = 2; parts <= size && parts <= 8; parts *= 2) {
        grids.push_back({.k = parts});
        grids.push_back({.m = size / parts, .k = parts});
    }
    elements<T> first;
    for (const processor_grid &grid : grids)
        for (const index_t step : {index_t{1} << 40, index_t{700}, index_t{100}}) {
            dist_tensor<T> a(ranks(), {m, k});
            dist_tensor<T> b(ranks(), {k, n});
            dist_tensor<T> d(ranks(), {m, n});
            fill_reals(a, 1);
            fill_reals(b, 2);
            const dist_report report = contract(
                "mn=mk*kn", a, b, d,
                {.reproducible = true, .grid = grid, .step = step_size{.m = 20, .k = step}});
            EXPECT_EQ(report.plan.summary().leaves, 8);
            EXPECT_GE(report.peak_bytes_max, report.plan.summary().peak);
            EXPECT_LE(report.peak_bytes_max.value, report.plan.summary().peak.value + 16 * 64);
            const elements<T> result = elements_of(d);
            if (!first)
                first = result;
            ASSERT_TRUE(same_bits(first, result)) << report.plan.describe();
        }
}

/// Leaves cut two of five contracted labels, and the one that is cut first is not the last.
TYPED_TEST(Reproducible, OverSeveralLabels) {
    using T = TypeParam;
    const extents_t sums{5, 7, 5, 5, 5};
    extents_t of_a = sums;
    of_a.insert(of_a.begin(), 9);
    extents_t of_b = sums;
    of_b.push_back(8);
    elements<T> first;
    // The counts between are those of other runs of this test.
    for (const int count : std::set{1, ranks().size() / 2 + 1, ranks().size()})
        for (int parts = 1; parts <= count; parts *= 2)
            for (const index_t step : {index_t{5000}, index_t{2000}, index_t{300}}) {
                elements<T> result;
                if (const std::optional<world> some = first_ranks(count)) {
                    dist_tensor<T> a(*some, of_a);
                    dist_tensor<T> b(*some, of_b);
                    dist_tensor<T> d(*some, {9, 8});
                    fill_reals(a, 1);
                    fill_reals(b, 2);
                    const dist_report report =
                        contract("mn=mabcde*abcden", a, b, d,
                                 {.reproducible = true,
                                  .grid = processor_grid{.m = count / parts, .k = parts},
                                  .step = step_size{.k = step}});
                    EXPECT_EQ(report.plan.summary().leaves, 16);
                    result = elements_of(d);
                    if (!first)
                        first = result;
                }
                ASSERT_TRUE(same_bits(first, result)) << count << " ranks, " << parts;
            }
}

/// Any distribution. Magnitudes differ by far more than the digits of a double.
TYPED_TEST(Reproducible, NormAndDotInAnyDistribution) {
    using T = TypeParam;
    using real = decltype(std::real(T{}));
    for (const int test_case : cases_per_rank(60)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents{random.integer(1, 40), random.integer(1, 60), random.integer(1, 9)};
        const bool scaled = random.chance(0.7);
        const auto fill = [&](dist_tensor<T> &tensor, int salt) {
            tensor.fill([&](const extents_t &offsets, tensor_view<T> block) {
                T *next = block.data();
                for_each_position(offsets, block.shape().extents(), [&](const extents_t &at) {
                    const auto power = static_cast<int>((at[0] * 7 + at[1] * 3 + at[2]) % 60) - 30;
                    *next++ = real_at<T>(at, salt) *
                              static_cast<real>(scaled ? std::ldexp(1.0, power) : 1.0);
                });
            });
        };
        double first_norm = 0;
        T first_dot = 0;
        for (int count = 1; count <= ranks().size(); ++count) {
            const distribution one = random_distribution(random, extents, count);
            const distribution other =
                random.chance(0.5) ? one : random_distribution(random, extents, count);
            if (const std::optional<world> some = first_ranks(count)) {
                dist_tensor<T> a(*some, extents, one);
                dist_tensor<T> b(*some, extents, other);
                fill(a, 1);
                fill(b, 2);
                const double norm = a.norm();
                const T product = dot(a, b);
                if (count == 1) {
                    first_norm = norm;
                    first_dot = product;
                    const tensor<T> x = a.gather_all();
                    const tensor<T> y = b.gather_all();
                    long double squares = 0;
                    std::complex<long double> sum = 0;
                    for (index_t i = 0; i < x.size(); ++i) {
                        const std::complex<long double> from_a(x.data()[i]);
                        squares += std::norm(from_a);
                        sum += std::conj(from_a) * std::complex<long double>(y.data()[i]);
                    }
                    EXPECT_NEAR(norm, static_cast<double>(std::sqrt(squares)), 1e-15 * norm);
                    const auto exact = std::complex<double>(sum);
                    const double epsilon = std::numeric_limits<real>::epsilon();
                    EXPECT_LE(std::abs(std::complex<double>(product) - exact),
                              epsilon * std::abs(exact) + 1e-15 * norm * b.norm());
                }
                EXPECT_EQ(std::memcmp(&norm, &first_norm, sizeof norm), 0) << count << " ranks";
                EXPECT_EQ(std::memcmp(&product, &first_dot, sizeof product), 0)
                    << count << " ranks";
            }
            if (count == 1) { // only rank 0 was part of it
                MPI_Bcast(&first_norm, sizeof first_norm, MPI_BYTE, 0, ranks().comm());
                MPI_Bcast(&first_dot, sizeof first_dot, MPI_BYTE, 0, ranks().comm());
            }
        }
    }
}

TEST(ReproducibleErrors, RefusesWhatMakesNoSuchPromise) {
    dist_tensor<double> a(ranks(), {6, 600});
    dist_tensor<double> b(ranks(), {600, 5});
    dist_tensor<double> d(ranks(), {6, 5});
    const auto refusal = [&](dist_options options) {
        options.reproducible = true;
        return failure_of([&] { contract("mn=mk*kn", a, b, d, options); });
    };
    EXPECT_EQ(refusal({.backend = backend::blis}).code, errc::unsupported);
    EXPECT_EQ(refusal({.algorithm = algorithm::ttgt}).code, errc::unsupported);
    const failure grid = refusal({.grid = processor_grid{.k = 3}});
    EXPECT_EQ(grid.code, errc::invalid_argument) << grid.message;
    const failure disagreement =
        failure_of([&] { contract("mn=mk*kn", a, b, d, {.reproducible = ranks().rank() == 0}); });
    EXPECT_EQ(disagreement.code, ranks().size() > 1 ? errc::disagreement : errc::ok);
}

} // namespace
} // namespace tenfold::testing
