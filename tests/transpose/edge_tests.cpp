// Tests the rows of docs/semantics.md that apply to transpositions.
#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include <tenfold/tensor.hpp>
#include <tenfold/transpose.hpp>

#include "arrays.hpp"
#include "base/with_type.hpp"

namespace tenfold {
namespace {

template <class Function> errc code_of(Function function, std::string *message = nullptr) {
    try {
        function();
    } catch (const error &caught) {
        if (message != nullptr)
            *message = caught.what();
        return caught.code();
    }
    return errc::ok;
}

transpose_plan plan_of(const std::vector<int> &permutation, const layout &a, const layout &b,
                       data_type type = data_type::f64) {
    return transpose_plan(permutation, type, a, type, b);
}

TEST(Errors, ExtentsThatDisagree) {
    std::string message;
    const errc code = code_of([] { plan_of({1, 0}, layout({4, 5}), layout({5, 3})); }, &message);
    EXPECT_EQ(code, errc::extent_mismatch);
    EXPECT_EQ(message, "A mode 0 has extent 4, B mode 1 has extent 3");
}

TEST(Errors, WhatIsNoPermutation) {
    const layout square({3, 3});
    EXPECT_EQ(code_of([&] { plan_of({0, 0}, square, square); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { plan_of({0, 2}, square, square); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { plan_of({0, -1}, square, square); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { plan_of({0}, square, square); }), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { plan_of({0, 1}, layout({3}), square); }), errc::order_mismatch);
}

TEST(Errors, OutputThatOverlapsItself) {
    EXPECT_EQ(code_of([] {
                  plan_of({1, 0}, layout({4, 4}), layout({4, 4}, {1, 2}));
              }),
              errc::overlap);
    EXPECT_EQ(code_of([] { plan_of({0}, layout({4}), layout({4}, {0})); }), errc::overlap);
}

TEST(Errors, TypesThatDoNotConvert) {
    const layout line({4});
    const std::vector<int> identity = {0};
    const auto make = [&](data_type a, data_type b) {
        return code_of([&] { transpose_plan(identity, a, line, b, line); });
    };
    EXPECT_EQ(make(data_type::f32, data_type::c32), errc::ok);
    EXPECT_EQ(make(data_type::c64, data_type::f64), errc::type_mismatch);
    EXPECT_EQ(make(data_type::c32, data_type::f32), errc::type_mismatch);
    EXPECT_EQ(make(data_type::bf16, data_type::c64), errc::ok);
}

TEST(Errors, NegativeThreads) {
    const layout line({4});
    const std::vector<int> identity = {0};
    EXPECT_EQ(code_of([&] {
                  transpose_plan(identity, data_type::f32, line, data_type::f32, line, false,
                                 {.threads = -1});
              }),
              errc::invalid_argument);
}

TEST(Status, NullPointers) {
    const transpose_plan plan = plan_of({1, 0}, layout({2, 3}), layout({3, 2}));
    std::vector<double> a(6, 1.0);
    std::vector<double> b(6, 7.0);
    const status no_a = plan.execute(1.0, nullptr, 0.0, b.data());
    EXPECT_EQ(no_a.code(), errc::null_pointer);
    EXPECT_EQ(no_a.operand(), 'A');
    EXPECT_EQ(b, std::vector<double>(6, 7.0)) << "nothing is written when the status is not ok";
    const status no_b = plan.execute(1.0, a.data(), 0.0, nullptr);
    EXPECT_EQ(no_b.code(), errc::null_pointer);
    EXPECT_EQ(no_b.operand(), 'B');
}

TEST(Status, AlphaZeroDoesNotReadA) {
    const transpose_plan plan = plan_of({1, 0}, layout({2, 3}), layout({3, 2}));
    std::vector<double> b(6, 7.0);
    ASSERT_TRUE(plan.execute(0.0, nullptr, 2.0, b.data()).ok());
    EXPECT_EQ(b, std::vector<double>(6, 14.0));
    b.assign(6, std::numeric_limits<double>::quiet_NaN());
    ASSERT_TRUE(plan.execute(0.0, nullptr, 0.0, b.data()).ok());
    EXPECT_EQ(b, std::vector<double>(6, 0.0));
}

TEST(Status, ComplexFactorOfARealTensor) {
    const transpose_plan plan = plan_of({1, 0}, layout({2, 3}), layout({3, 2}));
    std::vector<double> a(6, 1.0);
    std::vector<double> b(6, 7.0);
    EXPECT_EQ(plan.execute({1, 1}, a.data(), 0.0, b.data()).code(), errc::type_mismatch);
    EXPECT_EQ(plan.execute(1.0, a.data(), {0, 1}, b.data()).code(), errc::type_mismatch);
    EXPECT_EQ(b, std::vector<double>(6, 7.0));
}

TEST(Overlap, SharedElementsAreRefused) {
    std::vector<double> data(20, 1.0);
    const transpose_plan plan = plan_of({1, 0}, layout({3, 3}), layout({3, 3}));
    EXPECT_EQ(plan.execute(1.0, data.data(), 0.0, data.data()).code(), errc::overlap);
    EXPECT_EQ(plan.execute(1.0, data.data(), 0.0, data.data() + 8).code(), errc::overlap);
    EXPECT_TRUE(plan.execute(1.0, data.data(), 0.0, data.data() + 9).ok());
}

TEST(Overlap, InterleavedTensorsDoNotOverlap) {
    std::vector<double> data(32);
    for (std::size_t k = 0; k < data.size(); ++k)
        data[k] = static_cast<double>(k);
    const layout every_other({4, 4}, {2, 8});
    const transpose_plan plan = plan_of({1, 0}, every_other, every_other);
    ASSERT_TRUE(plan.execute(1.0, data.data(), 0.0, data.data() + 1).ok());
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            EXPECT_EQ(data[2 * i + 8 * j + 1], static_cast<double>(2 * j + 8 * i));
    EXPECT_EQ(plan.execute(1.0, data.data(), 0.0, data.data() + 2).code(), errc::overlap);
}

TEST(Overlap, ScalingInPlace) {
    std::vector<c64> data = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    const layout square({2, 2});
    const std::vector<int> identity = {0, 1};
    const transpose_plan conjugate(identity, data_type::c64, square, data_type::c64, square, true);
    ASSERT_TRUE(conjugate.execute({0, 1}, data.data(), 0.0, data.data()).ok());
    EXPECT_EQ(data, (std::vector<c64>{{2, 1}, {4, 3}, {6, 5}, {8, 7}}));
    ASSERT_TRUE(conjugate.execute(1.0, data.data(), 1.0, data.data()).ok());
    EXPECT_EQ(data, (std::vector<c64>{4.0, 8.0, 12.0, 16.0}));
    const transpose_plan swap = plan_of({1, 0}, square, square, data_type::c64);
    EXPECT_EQ(swap.execute(1.0, data.data(), 0.0, data.data()).code(), errc::overlap);
}

TEST(Sizes, OrderZero) {
    const transpose_plan plan = plan_of({}, layout(), layout());
    const double a = 3;
    double b = 5;
    ASSERT_TRUE(plan.execute(2.0, &a, 1.0, &b).ok());
    EXPECT_EQ(b, 11);
}

TEST(Sizes, ExtentZeroNeedsNoData) {
    const transpose_plan plan = plan_of({1, 0}, layout({0, 3}), layout({3, 0}));
    EXPECT_TRUE(plan.execute(1.0, nullptr, 0.0, nullptr).ok());
    EXPECT_NE(plan.explain().find("nothing to do"), std::string::npos);
    EXPECT_EQ(plan.traffic(true), bytes(0));
}

TEST(Sizes, BytesThatOverflow) {
    const layout huge({index_t{1} << 31, index_t{1} << 30});
    EXPECT_EQ(code_of([&] { plan_of({0, 1}, huge, huge); }), errc::overflow);
}

/// Plain copies keep bits that arithmetic would change.
TEST(Values, CopiesKeepBits) {
    const float signalling = [] {
        const std::uint32_t bits = 0x7f800001U;
        float value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }();
    const std::vector<float> values = {-0.0F, signalling, 1e-42F,
                                       std::numeric_limits<float>::infinity()};
    std::vector<float> a(32 * 32);
    for (std::size_t k = 0; k < a.size(); ++k)
        a[k] = values[k * 7 % values.size()];
    std::vector<float> b(a.size());
    const transpose_plan plan = plan_of({1, 0}, layout({32, 32}), layout({32, 32}), data_type::f32);
    ASSERT_TRUE(plan.execute(1.0, a.data(), 0.0, b.data()).ok());
    for (std::size_t i = 0; i < 32; ++i)
        for (std::size_t j = 0; j < 32; ++j)
            EXPECT_EQ(std::memcmp(&a[i + 32 * j], &b[j + 32 * i], sizeof(float)), 0);
}

TEST(Values, ConversionsRoundOnce) {
    const std::vector<double> a = {1.0 + std::ldexp(1.0, -24) + std::ldexp(1.0, -50), 0.1};
    std::vector<float> b(2);
    const layout line({2});
    const std::vector<int> identity = {0};
    const transpose_plan plan(identity, data_type::f64, line, data_type::f32, line);
    ASSERT_TRUE(plan.execute(3.0, a.data(), 0.0, b.data()).ok());
    EXPECT_EQ(b[0], static_cast<float>(3.0 * a[0]));
    EXPECT_EQ(b[1], static_cast<float>(3.0 * a[1]));
}

double component_at(data_type real, const char *from) {
    return base::with_type(real, [&]<class T>(T) -> double {
        T stored;
        std::memcpy(static_cast<void *>(&stored), from, sizeof stored);
        if constexpr (element_traits<T>::is_complex)
            return std::nan(""); // not asked for
        else
            return static_cast<double>(static_cast<typename element_traits<T>::output>(stored));
    });
}

/// The value rounded once, to nearest even, to the numbers of a real type: as a multiple of the
/// last bit that the type has there.
double rounded(double value, data_type real) {
    if (real == data_type::f64 || !std::isfinite(value) || value == 0)
        return value;
    struct format {
        int fraction, least;
        double most;
    };
    const format to = real == data_type::f32    ? format{23, -126, FLT_MAX}
                      : real == data_type::bf16 ? format{7, -126, 0x1.fep127}
                                                : format{10, -14, 65504};
    const double last = std::ldexp(1.0, std::max(std::ilogb(value), to.least) - to.fraction);
    const double nearest = std::nearbyint(value / last) * last;
    return std::abs(nearest) > to.most ? std::copysign(INFINITY, value)
                                       : std::copysign(nearest, value);
}

/// Numbers at which conversions go wrong: halfway between two numbers of a shorter type and beside
/// that, subnormal, too large, infinite, none.
std::vector<double> delicate_numbers() {
    std::vector<double> all = {0,       1e-320,         1e-60,      1e-40,          1.0 / 3,
                               65504,   65519.999,      65520,      65536,          0x1.fep127,
                               FLT_MAX, 0x1.feffffp127, 0x1.ffp127, 0x1.ffffffp127, 1e39,
                               1e300,   DBL_MAX,        INFINITY};
    for (const int fraction : {7, 10, 23})
        for (const int exponent : {0, 5, -13, -14, -100, -126, 127})
            for (const double odd : {0.0, 1.0})
                for (const double beside : {0.0, 0x1p-30, -0x1p-30}) {
                    const double bit = std::ldexp(1.0, exponent - fraction);
                    all.push_back(std::ldexp(1.0, exponent) + bit * (odd + 0.5 + beside));
                }
    for (const int last : {-24, -133, -149}) // of subnormal f16, bf16 and f32
        for (const double part : {0.5, 0.5 + 0x1p-30, 0.5 - 0x1p-30, 1.5, 2.5, 2.5 + 0x1p-30, 7.0})
            all.push_back(std::ldexp(part, last));
    const std::size_t positive = all.size();
    for (std::size_t k = 0; k < positive; ++k)
        all.push_back(-all[k]);
    all.push_back(std::numeric_limits<double>::quiet_NaN());
    return all;
}

/// Elements of a real type: all of them if they have two bytes, else those above, as close as the
/// type has them, and random ones.
std::vector<char> delicate_elements(data_type real, index_t count) {
    const index_t size = size_of(real);
    std::vector<char> bytes(static_cast<std::size_t>(count * size));
    const std::vector<double> numbers = delicate_numbers();
    testing::random_source random(17, 0);
    for (index_t k = 0; k < count; ++k) {
        auto bits = static_cast<std::uint64_t>(k);
        if (size > 2) {
            const auto place = static_cast<std::size_t>(k);
            const double value = place < numbers.size()
                                     ? numbers[place]
                                     : std::ldexp(2 * random.real() - 1,
                                                  static_cast<int>(random.integer(-155, 130)));
            bits = size == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                             : std::bit_cast<std::uint64_t>(value);
        }
        std::memcpy(bytes.data() + k * size, &bits,
                    static_cast<std::size_t>(size)); // little-endian
    }
    return bytes;
}

/// B = A and B = A^T on every instruction set, element by element as exact arithmetic has it.
void expect_one_rounding(data_type a, data_type b, const std::vector<char> &elements, index_t rows,
                         index_t columns) {
    const index_t size_a = size_of(a), size_b = size_of(b);
    const data_type part = real_type_of(b);
    for (const auto &ctx : testing::contexts())
        for (const bool transposes : {false, true}) {
            SCOPED_TRACE(std::string(name(a)) + " to " + std::string(name(b)) + " on " +
                         std::string(name(ctx->isa())) + (transposes ? ", transposed" : ""));
            const layout from({rows, columns});
            const layout to = transposes ? layout({columns, rows}) : from;
            transpose_options options;
            options.ctx = ctx.get();
            const std::vector<int> permutation =
                transposes ? std::vector<int>{1, 0} : std::vector<int>{0, 1};
            const transpose_plan plan(permutation, a, from, b, to, false, options);
            std::vector<char> found(static_cast<std::size_t>(rows * columns * size_b), '\x5a');
            ASSERT_TRUE(plan.execute(1.0, elements.data(), 0.0, found.data()).ok());
            for (index_t i = 0; i < rows; ++i)
                for (index_t j = 0; j < columns; ++j) {
                    const double value = component_at(a, elements.data() + (i + rows * j) * size_a);
                    const char *const at =
                        found.data() + (transposes ? j + columns * i : i + rows * j) * size_b;
                    const double wanted = rounded(value, part), real = component_at(part, at);
                    ASSERT_TRUE(std::isnan(wanted)
                                    ? std::isnan(real)
                                    : real == wanted && std::signbit(real) == std::signbit(wanted))
                        << value << " becomes " << real << ", not " << wanted;
                    if (is_complex(b)) {
                        const double imaginary = component_at(part, at + size_b / 2);
                        ASSERT_TRUE(imaginary == 0 && !std::signbit(imaginary)) << imaginary;
                    }
                }
        }
}

TEST(Values, EveryConversionRoundsOnceToNearestEven) {
    using enum data_type;
    for (const data_type a : {f32, f64, bf16, f16}) {
        const index_t columns = size_of(a) == 2 ? 512 : 15; // of 128 rows
        const std::vector<char> elements = delicate_elements(a, 128 * columns);
        for (const data_type b : all_data_types) {
            expect_one_rounding(a, b, elements, 128, columns);
            if (HasFatalFailure())
                return;
        }
    }
}

TEST(Concurrency, OnePlanManyThreads) {
    const layout from({65, 33, 17});
    const layout to({17, 65, 33});
    const transpose_plan plan = plan_of({2, 0, 1}, from, to, data_type::f32);
    std::vector<std::vector<float>> results(4, std::vector<float>(65 * 33 * 17));
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < results.size(); ++t)
        threads.emplace_back([&, t] {
            std::vector<float> a(results[t].size());
            for (std::size_t k = 0; k < a.size(); ++k)
                a[k] = static_cast<float>(k * (t + 1));
            for (int repeat = 0; repeat < 20; ++repeat)
                ASSERT_TRUE(plan.execute(1.0, a.data(), 0.0, results[t].data()).ok());
        });
    for (std::thread &thread : threads)
        thread.join();
    for (std::size_t t = 0; t < results.size(); ++t)
        for (std::size_t i = 0; i < 65; ++i)
            for (std::size_t j = 0; j < 33; ++j)
                for (std::size_t k = 0; k < 17; ++k)
                    ASSERT_EQ(results[t][k + 17 * (i + 65 * j)],
                              static_cast<float>((i + 65 * (j + 33 * k)) * (t + 1)));
}

} // namespace
} // namespace tenfold
