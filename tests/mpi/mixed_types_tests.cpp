// Contractions of distributed tensors of several types: random ones against plain loops, bit for
// bit, and counted bytes against the plan's.
#include <cmath>
#include <cstdint>
#include <vector>

#include <tenfold/contraction_epilogue.hpp>

#include "mpi/random_contraction.hpp"
#include "mpi/stored_types.hpp"

namespace tenfold::testing {
namespace {

/// W holds all sums exactly.
template <class TA, class TB, class TD> struct mixture {
    using a = TA;
    using b = TB;
    using d = TD;
    using wide = std::conditional_t<element_traits<TD>::is_complex, c64, double>;
};

template <class Types> class DistMixtures : public ::testing::Test {};
using mixtures =
    ::testing::Types<mixture<bf16, bf16, float>, mixture<f16, f16, float>,
                     mixture<bf16, bf16, bf16>, mixture<f16, f16, f16>, mixture<bf16, float, float>,
                     mixture<float, f16, bf16>, mixture<float, double, double>,
                     mixture<float, c32, c32>, mixture<std::int8_t, std::int8_t, std::int32_t>,
                     mixture<std::uint8_t, std::int8_t, std::int32_t>,
                     mixture<std::int8_t, std::uint8_t, std::int32_t>>;
TYPED_TEST_SUITE(DistMixtures, mixtures);

/// What D holds where the sum is exact: rounded once.
template <class TD, class W> W as_stored(W value) {
    if constexpr (element_traits<TD>::is_complex || element_traits<TD>::is_integer)
        return value;
    else
        return base::real_value(
            static_cast<TD>(static_cast<typename element_traits<TD>::output>(value)));
}

template <class Types> void run_mixture(int test_case) {
    using TA = typename Types::a;
    using TB = typename Types::b;
    using TD = typename Types::d;
    using W = typename Types::wide;
    random_source random(test_case);
    const random_contraction c = draw_contraction(random);
    const int size = ranks().size();
    dist_options options = draw_options(random, c, size);
    options.ranks_per_node = draw_ranks_per_node(random, size);
    const auto alpha = static_cast<double>(random.chance(0.1) ? 0 : random.integer(-2, 2));
    const auto beta = static_cast<double>(random.chance(0.4) ? 0 : random.integer(-2, 2));
    options.alpha = alpha;
    options.beta = beta;
    if (random.chance(0.2) && !options.grid) // no grids that cut k otherwise
        options.reproducible = true;
    dist_tensor<TA> a(ranks(), c.extents[0], draw_distribution(random, c, 0, size));
    dist_tensor<TB> b(ranks(), c.unary ? extents_t{} : c.extents[1],
                      c.unary ? distribution::block({}, size)
                              : draw_distribution(random, c, 1, size));
    const std::size_t last = c.extents.size() - 1;
    dist_tensor<TD> d(ranks(), c.extents[last], draw_distribution(random, c, last, size));
    SCOPED_TRACE(c.expression + ", A " + a.distribution().describe() + ", B " +
                 b.distribution().describe() + ", D " + d.distribution().describe() + ", grid " +
                 (options.grid ? text_of(*options.grid) : "free") + ", steps of " +
                 (options.step ? text_of(*options.step) : "any size"));
    fill_stored(a, 1);
    fill_stored(b, 2);
    fill_stored(d, 3);

    const dist_report report =
        c.unary ? contract(c.expression, a, d, options) : contract(c.expression, a, b, d, options);

    tensor<W> expected = stored_values<TD, W>(c.extents[last], 3);
    contract_by_loops_of<W>(c, alpha, false, false, beta, expected,
                            [](const extents_t &position, int salt) -> W {
                                return salt == 1 ? widened<W>(stored_at<TA>(position, 1))
                                                 : widened<W>(stored_at<TB>(position, 2));
                            });
    for (index_t i = 0; i < expected.size(); ++i)
        expected.data()[i] = as_stored<TD>(expected.data()[i]);
    EXPECT_TRUE(has_stored(d, expected));
    const dist_plan_summary &planned = report.plan.summary();
    EXPECT_EQ(report.bytes_received_max, planned.bytes_received);
    EXPECT_EQ(report.redistribution_max, planned.redistribution);
    const index_t slack = 17 * 64; // buffers are aligned
    EXPECT_GE(report.peak_bytes_max, planned.peak);
    EXPECT_LE(report.peak_bytes_max.value, planned.peak.value + slack);
    EXPECT_LE(report.workspace_max.value, planned.workspace.value + 64);
}

TYPED_TEST(DistMixtures, EqualPlainLoopsAndBytesAreThePlans) {
    for (const int test_case : cases_per_rank(120)) {
        SCOPED_TRACE(rerun_line(test_case));
        run_mixture<TypeParam>(test_case);
    }
}

TEST(DistMixedTypes, ArePlannedWithoutTensors) {
    const std::vector<distribution> spreads{distribution::block({64, 64}, 4),
                                            distribution::block({64, 64}, 4),
                                            distribution::block({64, 64}, 4)};
    const contraction_spec spec = parse("mn=mk*kn");
    const auto summary = [&](std::vector<data_type> types) {
        return make_dist_plan(spec, types, spreads, {.grid = processor_grid{1, 2, 2, 1}}).summary();
    };
    const dist_plan_summary whole = summary({data_type::f32, data_type::f32, data_type::f32});
    const dist_plan_summary half = summary({data_type::bf16, data_type::bf16, data_type::f32});
    const dist_plan_summary bytes_only = summary({data_type::i8, data_type::i8, data_type::i32});
    EXPECT_GT(whole.bytes_received.value, 0);
    EXPECT_EQ(2 * half.bytes_received.value, whole.bytes_received.value);
    EXPECT_EQ(4 * bytes_only.bytes_received.value, whole.bytes_received.value);
    const dist_plan plan = make_dist_plan(
        spec, std::vector{data_type::bf16, data_type::bf16, data_type::f32}, spreads);
    EXPECT_NE(plan.describe().find("bf16 to f32"), std::string::npos) << plan.describe();
}

/// Real numbers: sums in f32 over all ranks, rounded once.
TEST(DistMixedTypes, RoundOnceAtTheEnd) {
    const index_t n = 24, k = 700;
    dist_tensor<bf16> a(ranks(), {n, k}), b(ranks(), {k, n}), d(ranks(), {n, n});
    const auto fill = [](dist_tensor<bf16> &tensor, int salt) {
        tensor.fill([salt](const extents_t &offsets, tensor_view<bf16> block) {
            bf16 *next = block.data();
            for_each_position(offsets, block.shape().extents(), [&](const extents_t &position) {
                *next++ = bf16(real_at<float>(position, salt));
            });
        });
    };
    fill(a, 1);
    fill(b, 2);
    processor_grid grid{1, 1, 1, ranks().size()}; // sums over ranks
    contract("mn=mk*kn", a, b, d, {.grid = grid});
    const tensor<bf16> x = a.gather_all(), y = b.gather_all(), found = d.gather_all();
    for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i) {
            double sum = 0, magnitude = 0;
            for (index_t p = 0; p < k; ++p) {
                const double term = base::real_value(x(i, p)) * base::real_value(y(p, j));
                sum += term;
                magnitude += std::abs(term);
            }
            // Sums of k terms in f32 (docs/accuracy.md), and half a unit of bf16, which has 8 bits.
            const double bound =
                (static_cast<double>(k) + 2) * 0x1p-24 * magnitude + 0x1.01p-8 * std::abs(sum);
            EXPECT_LE(std::abs(base::real_value(found(i, j)) - sum), bound) << i << ' ' << j;
        }
}

/// What is only moved may become shorter: in one rounding, also of what is added.
template <class In, class Out> void check_narrowing(double value, double nearest) {
    using number = typename element_traits<Out>::output;
    const extents_t turned{19, 23};
    for (const bool reproducible : {false, true}) {
        dist_tensor<In> a(ranks(), {23, 19});
        dist_tensor<Out> d(ranks(), turned);
        a.fill([&](const extents_t &offsets, tensor_view<In> block) {
            In *next = block.data();
            for_each_position(offsets, block.shape().extents(), [&](const extents_t &at) {
                *next++ = at[0] == 5 && at[1] == 7 ? In(value) : In(double(at[0] - at[1]));
            });
        });
        d.fill(static_cast<Out>(number(3)));
        contract("ba=ab", a, d, {.reproducible = reproducible});
        const auto expect = [&](double scale) {
            const tensor<Out> found = d.gather_all();
            for (index_t j = 0; j < turned[0]; ++j)
                for (index_t i = 0; i < turned[1]; ++i) {
                    const double x = i == 5 && j == 7 ? nearest : double(i - j);
                    EXPECT_EQ(static_cast<number>(found(j, i)),
                              number(static_cast<float>(scale * x)));
                }
        };
        expect(1);
        d.fill(static_cast<Out>(number(3)));
        contract("ba=ab", a, d, {.alpha = 4.0, .beta = 0.0, .reproducible = reproducible});
        expect(4);
        contract("ba=ab", a, d, {.alpha = 0.0, .beta = 0.5, .reproducible = reproducible});
        expect(2);
    }
}

TEST(DistMixedTypes, NarrowWhatTheyOnlyMove) {
    check_narrowing<double, float>(1 + 0x1p-24 + 0x1p-50, 1 + 0x1p-23);
    check_narrowing<double, bf16>(1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-7);
    check_narrowing<c64, c32>(1 + 0x1p-24 + 0x1p-50, 1 + 0x1p-23);
}

/// Inputs of In, an output of Out. Values are small, so that only the last bits tell what is
/// rounded, which happens before the first step and after the last one.
template <class In, class Out> void check_epilogues() {
    using sum = typename element_traits<Out>::output;
    for (const int test_case : cases_per_rank(12)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const index_t a = random.integer(1, 7), b = random.integer(1, 6), k = random.integer(1, 8);
        const auto some = [&](const extents_t &extents) {
            return random_distribution(random, extents, ranks().size());
        };
        dist_tensor<In> left(ranks(), {a, k}, some({a, k})), right(ranks(), {k, b}, some({k, b}));
        dist_tensor<Out> result(ranks(), {a, b}, some({a, b}));
        fill_stored(left, 1);
        fill_stored(right, 2);
        fill_stored(result, 3);
        const tensor<sum> of_b = make_values<sum>({b}, 4);
        tensor<Out> all({b, a});
        for (index_t i = 0; i < all.size(); ++i)
            all.data()[i] = static_cast<Out>(static_cast<sum>(i % 5 - 2));
        contraction_epilogue finish;
        finish.add("b", of_b, 3.0).multiply("ba", all, 2.0).add("b", of_b, -1.0);
        const dist_options options{.beta = 2.0, .reproducible = random.chance(0.3)};
        contract("ab=ak*kb", left, right, result, options);
        const tensor<Out> plain = result.gather_all();
        fill_stored(result, 3);
        dist_options with_steps = options;
        with_steps.epilogue = &finish;
        contract("ab=ak*kb", left, right, result, with_steps);
        const tensor<Out> found = result.gather_all();
        for (index_t j = 0; j < b; ++j)
            for (index_t i = 0; i < a; ++i) {
                sum x = static_cast<sum>(plain(i, j));
                x = (x + sum(3) * of_b(j)) * sum(2) * static_cast<sum>(all(j, i)) - of_b(j);
                EXPECT_EQ(static_cast<sum>(found(i, j)), static_cast<sum>(static_cast<Out>(x)));
            }
    }
}

TEST(DistMixedTypes, HaveEpilogues) {
    check_epilogues<bf16, bf16>();
    check_epilogues<float, f16>();
    check_epilogues<std::int8_t, std::int32_t>();
    check_epilogues<std::int32_t, std::int32_t>();
}

TEST(DistMixedTypes, IntegersWrapAround) {
    dist_tensor<std::int8_t> a(ranks(), {2, 140000}), b(ranks(), {140000, 3});
    dist_tensor<std::int32_t> d(ranks(), {2, 3});
    a.fill(-128);
    b.fill(-128);
    d.fill(7);
    contract("mn=mk*kn", a, b, d, {.alpha = 3.0, .beta = 2.0});
    const auto sum = static_cast<std::int32_t>(140000U * 16384U * 3U + 14U);
    const tensor<std::int32_t> found = d.gather_all();
    for (index_t i = 0; i < found.size(); ++i)
        EXPECT_EQ(found.data()[i], sum);
}

TEST(DistMixedTypes, InSequencesHaveIntermediatesOfTheSums) {
    const extents_t ij{7, 6}, jk{6, 9}, kl{9, 5}, il{7, 5};
    const auto run = [&]<class T, class D>(T, D) {
        dist_tensor<T> a(ranks(), ij), b(ranks(), jk), e(ranks(), kl);
        dist_tensor<D> d(ranks(), il);
        fill_stored(a, 1);
        fill_stored(b, 2);
        fill_stored(e, 3);
        contract("il=ij*jk*kl", std::vector<dist_operand>{a, b, e}, d, {.alpha = 2.0});
        const auto x = stored_values<T, double>(ij, 1), y = stored_values<T, double>(jk, 2),
                   z = stored_values<T, double>(kl, 3);
        tensor<double> expected(il);
        for (index_t i = 0; i < 7; ++i)
            for (index_t l = 0; l < 5; ++l) {
                double sum = 0;
                for (index_t j = 0; j < 6; ++j)
                    for (index_t k = 0; k < 9; ++k)
                        sum += x(i, j) * y(j, k) * z(k, l);
                expected(i, l) = as_stored<D>(2 * sum);
            }
        EXPECT_TRUE(has_stored(d, expected)) << name(data_type_of<T>);
    };
    run(bf16(), float());
    run(f16(), f16());
    run(std::int8_t(), std::int32_t());
}

TEST(DistMixedTypes, AreRefusedOnAllRanks) {
    dist_tensor<std::int8_t> i8(ranks(), {4, 4});
    dist_tensor<std::uint8_t> u8(ranks(), {4, 4});
    dist_tensor<float> f32(ranks(), {4, 4});
    dist_tensor<double> f64(ranks(), {4, 4});
    dist_tensor<std::int32_t> i32(ranks(), {4, 4});
    const auto refused = [&](const auto &call) {
        const failure thrown = failure_of(call);
        EXPECT_EQ(thrown.code, errc::type_mismatch);
        EXPECT_TRUE(same_on_all_ranks(thrown.message));
        return thrown.message;
    };
    EXPECT_EQ(refused([&] { contract("ab=ak*kb", i8, i8, f32); }),
              "A is i8 and D is f32; D must be i32");
    EXPECT_EQ(refused([&] { contract("ab=ak*kb", u8, u8, i32); }),
              "A and B are u8; one of them must be i8");
    EXPECT_EQ(refused([&] { contract("ab=ak*kb", f64, f64, f32); }),
              "A is f64 and D is f32; D must be f64 or c64");
    EXPECT_NE(refused([&] { contract("ab=ak*kb", i8, i8, i32, {.alpha = 0.5}); }).find("integers"),
              std::string::npos);
    dist_tensor<std::int8_t> narrow(ranks(), {4, 4});
    EXPECT_EQ(refused([&] { contract("ab=ak*kb", i8, i8, narrow); }),
              "D is i8; integers are summed in i32, which D must be");
    const contraction_epilogue of_reals = contraction_epilogue().apply(elementwise::exp);
    EXPECT_EQ(failure_of([&] { contract("ab=ak*kb", i8, i8, i32, {.epilogue = &of_reals}); }).code,
              errc::unsupported);
}

} // namespace
} // namespace tenfold::testing
