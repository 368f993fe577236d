// Epilogues of contractions of other types than f64: complex numbers, sums in a wider type, a D
// that has 16 bits, and rounds, and integers, which wrap around.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

namespace tenfold::testing {
namespace {

TEST(ContractionEpilogue, ComplexTensorsMayBeConjugated) {
    std::vector<c64> a{{1, 1}}, b{{2, 0}}, d(1), x{{0, 3}};
    const tensor_view<c64> scalar_x(x.data());
    contraction_epilogue finish;
    finish.add("", conj(scalar_x), scalar(0, 1)).multiply("", conj(scalar_x)).scale(2.0);
    contract("[]=[k]*[k]", tensor_view<c64>(a.data(), {1}), tensor_view<c64>(b.data(), {1}),
             tensor_view<c64>(d.data()), {.epilogue = &finish});
    // (2 + 2i + i (-3i)) (-3i) 2 = (5 + 2i) (-6i)
    EXPECT_EQ(d[0], c64(12, -30));
}

TEST(ContractionEpilogue, FollowsTheConjugationOfD) {
    std::vector<c64> a{{1, 1}}, b{{2, 0}}, d(1), x{{0, 3}};
    contraction_epilogue finish;
    finish.add("", tensor_view<c64>(x.data()));
    contract("[]=[k]*[k]", tensor_view<c64>(a.data(), {1}), tensor_view<c64>(b.data(), {1}),
             tensor_view<c64>(d.data()), {.conj_output = true, .epilogue = &finish});
    EXPECT_EQ(d[0], c64(2, 1));
}

TEST(ContractionEpilogue, FollowsSumsInAWiderType) {
    std::vector<float> a(600), b(600), bias(20), d(400), separate(400);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<float>(std::sin(static_cast<double>(i)));
        b[i] = static_cast<float>(std::cos(static_cast<double>(i)));
    }
    for (std::size_t i = 0; i < bias.size(); ++i)
        bias[i] = static_cast<float>(i);
    const tensor_view<float> of_a(a.data(), {20, 30}), of_d(d.data(), {20, 20});
    contraction_epilogue finish;
    finish.add("j", tensor_view<float>(bias.data(), {20})).apply(elementwise::relu);
    for (const algorithm by : {algorithm::automatic, algorithm::ttgt, algorithm::reference}) {
        contract("ij=ik*kj", of_a, tensor_view<float>(b.data(), {30, 20}), of_d,
                 {.algorithm = by, .f64_sums = true, .epilogue = &finish});
        contract("ij=ik*kj", of_a, tensor_view<float>(b.data(), {30, 20}),
                 tensor_view<float>(separate.data(), {20, 20}),
                 {.algorithm = by, .f64_sums = true});
        for (std::size_t i = 0; i < d.size(); ++i)
            ASSERT_NEAR(d[i], std::max(separate[i] + bias[i / 20], 0.0F), 1e-5F) << name(by);
    }
}

TEST(ContractionEpilogue, HalfPrecisionInputsHaveEpiloguesOfSingle) {
    std::vector<bf16> a(6, bf16(1.0f)), b(6, bf16(2.0f));
    std::vector<float> d(4), bias{1, 2};
    contraction_epilogue finish;
    finish.add("j", tensor_view<float>(bias.data(), {2}));
    contract("ij=ik*kj", tensor_view<bf16>(a.data(), {2, 3}), tensor_view<bf16>(b.data(), {3, 2}),
             tensor_view<float>(d.data(), {2, 2}), {.epilogue = &finish});
    EXPECT_EQ(d, (std::vector<float>{7, 7, 8, 8}));
}

/// D(2 x 2) of T, the product of ones and twos, {6, 6, 6, 6}, with steps.
template <class T>
std::vector<T> with_steps(const contraction_epilogue &finish, contract_options options = {}) {
    std::vector<T> a(6, T(1.0F)), b(6, T(2.0F)), d(4, T(1.0F));
    options.epilogue = &finish;
    contract("ij=ik*kj", tensor_view<T>(a.data(), {2, 3}), tensor_view<T>(b.data(), {3, 2}),
             tensor_view<T>(d.data(), {2, 2}), options);
    return d;
}

template <class T> std::vector<float> as_floats(const std::vector<T> &from) {
    std::vector<float> to;
    for (const T x : from)
        to.push_back(static_cast<float>(x));
    return to;
}

template <class T> class RoundedEpilogue : public ::testing::Test {};
using rounded_types = ::testing::Types<bf16, f16>;
TYPED_TEST_SUITE(RoundedEpilogue, rounded_types);

TYPED_TEST(RoundedEpilogue, StepsAreInSinglePrecisionAndRoundOnce) {
    using T = TypeParam;
    const std::vector<T> rows{T(1.0F), T(-2.0F)};
    const std::vector<float> columns{0x1p-20F, 3}; // lost if it were rounded beside 6
    contraction_epilogue finish;
    finish.add("i", tensor_view<const T>(rows.data(), {2}))
        .add("j", tensor_view<const float>(columns.data(), {2}))
        .add("i", tensor_view<const T>(rows.data(), {2}), -1.0)
        .add("", tensor_view<const float>(columns.data() + 1), -2.0)
        .scale(0x1p10);
    for (const algorithm by :
         {algorithm::automatic, algorithm::ttgt, algorithm::fused, algorithm::reference})
        EXPECT_EQ(as_floats(with_steps<T>(finish, {.algorithm = by})),
                  (std::vector<float>{0x1p-10F, 0x1p-10F, 3072, 3072}));
    EXPECT_EQ(as_floats(with_steps<T>(finish, {.beta = 6.0, .reproducible = true}))[3], 9216.0F);
}

TYPED_TEST(RoundedEpilogue, FunctionsAreThoseOfSinglePrecision) {
    using T = TypeParam;
    for (const elementwise function : {elementwise::relu, elementwise::exp, elementwise::tanh,
                                       elementwise::sigmoid, elementwise::gelu_erf}) {
        const auto apply = [&](auto d, scalar alpha) {
            using D = decltype(d);
            std::vector<T> a(1, T(1.0F)), b(1, T(-0.625F));
            const contraction_epilogue finish = contraction_epilogue().apply(function);
            contract("[]=[k]*[k]", tensor_view<T>(a.data(), {1}), tensor_view<T>(b.data(), {1}),
                     tensor_view<D>(&d), {.alpha = alpha, .epilogue = &finish});
            return static_cast<float>(d);
        };
        for (const double alpha : {1.0, -2.0})
            EXPECT_EQ(apply(T(0.0F), alpha), static_cast<float>(T(apply(0.0F, alpha))));
    }
    const auto add_one = [](auto *d, index_t count, void *) {
        using D = std::remove_pointer_t<decltype(d)>;
        for (index_t i = 0; i < count; ++i)
            d[i] = D(static_cast<float>(d[i]) + 1);
    };
    contraction_epilogue finish;
    finish.call<float>(add_one).template call<T>(add_one);
    EXPECT_EQ(as_floats(with_steps<T>(finish)), (std::vector<float>{8, 8, 8, 8}));
}

/// Every number of T there and back, columns that are adjacent and such that are not.
TYPED_TEST(RoundedEpilogue, EveryNumberStaysAndTiesAreRoundedToEven) {
    using T = TypeParam;
    constexpr index_t all = 1 << 16;
    std::vector<T> x(all), one(1, T(1.0F)), d(2 * all);
    for (index_t i = 0; i < all; ++i)
        x[static_cast<std::size_t>(i)].bits = static_cast<std::uint16_t>(i);
    // The double of a number, and half of its distance from the next one: a tie.
    std::vector<float> half(all);
    for (index_t i = 0; i < all; ++i) {
        T next;
        next.bits = static_cast<std::uint16_t>(i + 1);
        const float from = static_cast<float>(x[static_cast<std::size_t>(i)]);
        const float distance = static_cast<float>(next) - from;
        half[static_cast<std::size_t>(i)] = std::isfinite(distance) ? distance / 2 : 0;
    }
    for (const index_t stride : {1, 2}) {
        contraction_epilogue finish;
        finish.add("i", tensor_view<const float>(half.data(), {all}));
        contract("i=i", tensor_view<T>(x.data(), {all}), tensor_view<T>(d.data(), {all}, {stride}),
                 {.epilogue = &finish});
        for (index_t i = 0; i < all; ++i) {
            const float from = static_cast<float>(x[static_cast<std::size_t>(i)]);
            const T expected(from + half[static_cast<std::size_t>(i)]);
            const T found = d[static_cast<std::size_t>(i * stride)];
            ASSERT_TRUE(found.bits == expected.bits ||
                        (std::isnan(from) && std::isnan(static_cast<float>(found))))
                << i << ": " << found.bits << ", not " << expected.bits;
        }
    }
}

TEST(ContractionEpilogue, IntegersWrapAround) {
    std::vector<std::int8_t> a{1, -2, 3, 4}, b{5, 6, -7, 8};
    std::vector<std::int32_t> d(4), bias{std::numeric_limits<std::int32_t>::max(), -1};
    const auto run = [&](const contraction_epilogue &finish, algorithm by) {
        contract("ij=ik*kj", tensor_view<std::int8_t>(a.data(), {2, 2}),
                 tensor_view<std::int8_t>(b.data(), {2, 2}),
                 tensor_view<std::int32_t>(d.data(), {2, 2}),
                 {.algorithm = by, .epilogue = &finish});
    };
    const auto add_one = [](std::int32_t *x, index_t count, void *) {
        for (index_t i = 0; i < count; ++i)
            ++x[i];
    };
    for (const algorithm by : {algorithm::automatic, algorithm::direct, algorithm::loops,
                               algorithm::reference}) { // {23, 14, 17, 46} without steps
        contraction_epilogue finish;
        finish.add("i", tensor_view<std::int32_t>(bias.data(), {2}), 2.0)
            .multiply("j", tensor_view<std::int32_t>(bias.data(), {2}));
        run(finish, by); // 2 max = -2
        EXPECT_EQ(d, (std::vector<std::int32_t>{bias[0] - 20, -12, -15, -44}));
        run(contraction_epilogue().scale(-3.0).apply(elementwise::relu), by);
        EXPECT_EQ(d, (std::vector<std::int32_t>{0, 0, 0, 0}));
        run(contraction_epilogue().call<std::int32_t>(add_one).scale(1 << 30), by);
        EXPECT_EQ(d, (std::vector<std::int32_t>{0, -(1 << 30), -(1 << 30) * 2, -(1 << 30)}));
    }
}

} // namespace
} // namespace tenfold::testing
