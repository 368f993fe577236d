// Tests contract(): a cached plan gives the same results as a new one, only faster.
#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "base/context_of.hpp"
#include "base/plan_cache.hpp"
#include "support/message_of.hpp"
#include "support/random.hpp"

namespace tenfold {
namespace {

using testing::message_of;
using testing::random_source;

settings with_plan_cache(byte_count limit) {
    settings mine;
    mine.threads = 1;
    mine.plan_cache_limit = limit;
    return mine;
}

template <class T> tensor<T> random_tensor(const extents_t &extents, int seed) {
    tensor<T> made(extents);
    random_source random(seed);
    for (index_t i = 0; i < made.size(); ++i)
        made.data()[i] = static_cast<T>(static_cast<float>(random.real() - 0.5));
    return made;
}

template <class T> std::vector<T> values_of(const tensor<T> &from) {
    return {from.data(), from.data() + from.size()};
}

template <class T> bool same_bits(const tensor<T> &one, const tensor<T> &other) {
    return one.size() == other.size() &&
           std::memcmp(one.data(), other.data(),
                       static_cast<std::size_t>(one.size()) * sizeof(T)) == 0;
}

/// The product of two matrices, which has a plan because of the factor: "ab=ac*cb" of small ones is
/// computed at once.
constexpr std::string_view product = "ab=1*ac*cb";

/// The number of plans that `ctx` has made since construction.
class plan_counter {
public:
    explicit plan_counter(const context &ctx) : ctx_(ctx), before_(base::plans_of(ctx).size()) {}
    std::size_t made() const { return base::plans_of(ctx_).size() - before_; }

private:
    const context &ctx_;
    std::size_t before_;
};

template <class T> void expect_equal_hits() {
    const context ctx(with_plan_cache(mib(4))), forgetful(with_plan_cache({}));
    const auto a = random_tensor<T>({5, 7, 4, 6}, 1), b = random_tensor<T>({3, 6, 8, 7}, 2);
    tensor<T> first({5, 4, 8, 3}), again({5, 4, 8, 3}), planned({5, 4, 8, 3});
    contract("abcd=aebf*dfce", a, b, planned, {.alpha = 0.7, .ctx = &forgetful});
    EXPECT_EQ(base::plans_of(forgetful).size(), 0U);
    contract("abcd=aebf*dfce", a, b, first, {.alpha = 0.7, .ctx = &ctx});
    EXPECT_EQ(base::plans_of(ctx).size(), 1U);
    for (int repetition = 0; repetition < 3; ++repetition) {
        contract("abcd=aebf*dfce", a, b, again, {.alpha = 0.7, .ctx = &ctx});
        EXPECT_TRUE(same_bits(first, again));
    }
    EXPECT_TRUE(same_bits(first, planned));
    EXPECT_EQ(base::plans_of(ctx).size(), 1U);
}

TEST(OneShot, AHitComputesTheSameBits) {
    expect_equal_hits<float>();
    expect_equal_hits<double>();
    expect_equal_hits<c32>();
    expect_equal_hits<c64>();
}

TEST(OneShot, AlphaAndBetaAreTheCallsOwn) {
    const context ctx(with_plan_cache(mib(4)));
    tensor<double> a({2, 2}), b({2, 2}), d({2, 2});
    a(0, 0) = a(1, 1) = 1;
    b(0, 0) = 3;
    b(1, 1) = 5;
    contract(product, a, b, d, {.ctx = &ctx});
    EXPECT_EQ(values_of(d), (std::vector<double>{3, 0, 0, 5}));
    contract(product, a, b, d, {.alpha = 2.0, .beta = 10.0, .ctx = &ctx});
    EXPECT_EQ(values_of(d), (std::vector<double>{36, 0, 0, 60}));
    contract(product, a, b, d, {.ctx = &ctx});
    EXPECT_EQ(values_of(d), (std::vector<double>{3, 0, 0, 5}));
    EXPECT_EQ(base::plans_of(ctx).size(), 1U);
}

/// Calls contract() in every way, each twice: the second call must find the plan of that way.
TEST(OneShot, CallsThatDifferDoNotTakeEachOthersPlans) {
    const context ctx(with_plan_cache(mib(4)));
    std::vector<double> buffer(64), other(64), result(64, -1);
    for (std::size_t i = 0; i < 64; ++i) {
        buffer[i] = static_cast<double>(i % 13) - 6;
        other[i] = static_cast<double>(i % 7) - 3;
    }
    const auto view = [](std::vector<double> &data, extents_t extents, extents_t strides) {
        return tensor_view<double>(data.data(), std::move(extents), std::move(strides));
    };
    const auto a = view(buffer, {3, 3}, {1, 3}), a_turned = view(buffer, {3, 3}, {3, 1});
    const auto a_wide = view(buffer, {3, 3}, {1, 8}), b = view(other, {3, 3}, {1, 3});
    const auto d = view(result, {3, 3}, {1, 3}), d_wide = view(result, {3, 3}, {2, 9});
    const auto a_short = view(buffer, {2, 3}, {1, 3}), d_short = view(result, {2, 3}, {1, 2});

    /// Compares D with nested loops.
    const auto expect_product = [&](const auto &x, const auto &y, const auto &into, double factor,
                                    double kept, bool turned = false) {
        for (index_t i = 0; i < into.extent(0); ++i)
            for (index_t j = 0; j < into.extent(1); ++j) {
                double sum = kept;
                for (index_t k = 0; k < 3; ++k)
                    sum += factor * x(i, k) * (turned ? y(j, k) : y(k, j));
                EXPECT_EQ(into(i, j), sum) << i << ", " << j;
            }
    };
    for (int repetition = 0; repetition < 2; ++repetition) {
        SCOPED_TRACE(repetition == 0 ? "made" : "found");
        const plan_counter plans(ctx);
        const contract_options options{.ctx = &ctx};
        contract(product, a, b, d, options);
        expect_product(a, b, d, 1, 0);
        contract(product, a_turned, b, d, options); // other strides of A
        expect_product(a_turned, b, d, 1, 0);
        contract(product, a_wide, b, d, options);
        expect_product(a_wide, b, d, 1, 0);
        contract(product, a, b, d_wide, options); // other strides of D
        expect_product(a, b, d_wide, 1, 0);
        contract(product, a_short, b, d_short, options); // other extents
        expect_product(a_short, b, d_short, 1, 0);
        contract("ab=1*ac*bc", a, b, d, options); // other labels
        expect_product(a, b, d, 1, 0, true);
        contract("ab=2*ac*cb", a, b, d, options); // another factor in the expression
        expect_product(a, b, d, 2, 0);
        std::fill(result.begin(), result.end(), 100);
        contract("ab+=ac*cb", a, b, d, options); // another operation
        expect_product(a, b, d, 1, 100);
        std::fill(result.begin(), result.end(), 100);
        contract("ab-=ac*cb", a, b, d, options);
        expect_product(a, b, d, -1, 100);
        EXPECT_EQ(plans.made(), repetition == 0 ? 9U : 0U);
    }
}

TEST(OneShot, OptionsArePartOfWhatIsLookedFor) {
    const context ctx(with_plan_cache(mib(4)));
    const auto a = random_tensor<double>({6, 5}, 1), b = random_tensor<double>({5, 7}, 2);
    tensor<double> d({6, 7});
    const std::vector<contract_options> all = {
        {},
        {.algorithm = algorithm::reference},
        {.algorithm = algorithm::loops},
        {.workspace_limit = bytes(0)},
        {.workspace_limit = mib(1)},
        {.backend = backend::native},
        {.threads = 2},
        {.reproducible = true},
        {.reproducible = false},
        {.diagonal_output = true},
    };
    for (int repetition = 0; repetition < 2; ++repetition) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            contract_options options = all[i];
            options.ctx = &ctx;
            contract(product, a, b, d, options);
            EXPECT_EQ(base::plans_of(ctx).size(), repetition == 0 ? i + 1 : all.size()) << i;
        }
    }
}

TEST(OneShot, TypesAndConjugationArePartOfWhatIsLookedFor) {
    const context ctx(with_plan_cache(mib(4)));
    const contract_options options{.ctx = &ctx};
    tensor<c64> a({1, 1}), b({1, 1}), d({1, 1});
    a(0, 0) = c64(0, 1);
    b(0, 0) = c64(2, 3);
    tensor<double> real({1, 1}), real_d({1, 1});
    real(0, 0) = 4;
    for (int repetition = 0; repetition < 2; ++repetition) {
        contract("ab=ac*cb", a, b, d, options);
        EXPECT_EQ(d(0, 0), c64(-3, 2));
        contract("ab=ac*cb", conj(a), b, d, options);
        EXPECT_EQ(d(0, 0), c64(3, -2));
        contract("ab=ac*cb", a, conj(b), d, options);
        EXPECT_EQ(d(0, 0), c64(3, 2));
        contract("ab=ac*cb", real, real, real_d, options);
        EXPECT_EQ(real_d(0, 0), 16);
        EXPECT_EQ(base::plans_of(ctx).size(), 4U);
    }
}

/// Four tensors may be three inputs and D, or two inputs, C and D; the expression decides.
TEST(OneShot, FourTensorsAreWhatTheExpressionSays) {
    const context ctx(with_plan_cache(mib(4)));
    tensor<double> a({2, 2}), b({2, 2}), c({2, 2}), d({2, 2});
    for (tensor<double> *one : {&a, &b, &c})
        (*one)(0, 0) = (*one)(1, 1) = 3;
    for (int repetition = 0; repetition < 2; ++repetition) {
        contract("ab=ac*cb", a, b, c, d, {.beta = 2.0, .ctx = &ctx});
        EXPECT_EQ(values_of(d), (std::vector<double>{15, 0, 0, 15}));
        contract("ab=ac*cd*db", a, b, c, d, {.ctx = &ctx});
        EXPECT_EQ(values_of(d), (std::vector<double>{27, 0, 0, 27}));
        contract("ab=ac*cd*db", {a, b, c}, d, {.ctx = &ctx});
        EXPECT_EQ(values_of(d), (std::vector<double>{27, 0, 0, 27}));
        contract("ab=ac*cb", {a, b}, c, d, {.beta = 1.0, .ctx = &ctx});
        EXPECT_EQ(values_of(d), (std::vector<double>{12, 0, 0, 12}));
        contract("ba=ab", a, d, {.alpha = 5.0, .ctx = &ctx});
        EXPECT_EQ(values_of(d), (std::vector<double>{15, 0, 0, 15}));
        EXPECT_EQ(base::plans_of(ctx).size(), 5U);
    }
}

/// Both are read once, and keep plans of their own.
TEST(OneShot, ASpecSaysWhatAnExpressionSays) {
    const context ctx(with_plan_cache(mib(4)));
    tensor<double> a({2, 2}), b({2, 2}), c({2, 2}), d({2, 2});
    for (tensor<double> *one : {&a, &b, &c})
        (*one)(0, 0) = (*one)(1, 1) = 3;
    const std::vector<input> two = {a, b}, three = {a, b, c};
    const auto call = [&](std::string_view expression, std::span<const input> inputs,
                          contract_options options) {
        options.ctx = &ctx;
        contract(parse(expression), inputs, d, options);
    };
    for (int repetition = 0; repetition < 2; ++repetition) {
        call("ab=ac*cb", two, {});
        EXPECT_EQ(values_of(d), (std::vector<double>{9, 0, 0, 9}));
        call("xy=xz*zy", two, {.alpha = 2.0}); // the same plan: labels are numbers
        EXPECT_EQ(values_of(d), (std::vector<double>{18, 0, 0, 18}));
        call("ab+=ac*cb", two, {});
        EXPECT_EQ(values_of(d), (std::vector<double>{27, 0, 0, 27}));
        call("ab-=ac*cb", two, {});
        EXPECT_EQ(values_of(d), (std::vector<double>{18, 0, 0, 18}));
        call("ab=-0.5*ac*cb", two, {});
        EXPECT_EQ(values_of(d), (std::vector<double>{-4.5, 0, 0, -4.5}));
        call("ab=ab*ab", two, {}); // other labels
        EXPECT_EQ(values_of(d), (std::vector<double>{9, 0, 0, 9}));
        call("ab=ac*cd*db", three, {});
        EXPECT_EQ(values_of(d), (std::vector<double>{27, 0, 0, 27}));
        contract(parse("ab=ac*cb"), two, c, d, {.beta = 2.0, .ctx = &ctx});
        EXPECT_EQ(values_of(d), (std::vector<double>{15, 0, 0, 15}));
        EXPECT_EQ(base::plans_of(ctx).size(), repetition == 0 ? 7U : 8U);
        contract("ab=1*ac*cb", a, b, d, {.ctx = &ctx}); // an expression has one of its own
        EXPECT_EQ(base::plans_of(ctx).size(), 8U);
    }
}

TEST(OneShot, MistakesInASpecStayMistakes) {
    const context ctx(with_plan_cache(mib(4)));
    tensor<double> a({2, 2}), b({2, 2}), d({2, 2});
    const std::vector<input> two = {a, b}, one = {a};
    const auto refuse = [&](errc code, const contraction_spec &spec, std::span<const input> inputs,
                            contract_options options = {}) {
        options.ctx = &ctx;
        return message_of([&] { contract(spec, inputs, d, options); }, code);
    };
    contraction_spec unnamed = parse("ab=ac*cb"), updating = parse("ab+=ac*cb");
    unnamed.label_names.pop_back();
    updating.text.clear();
    for (int repetition = 0; repetition < 2; ++repetition) {
        EXPECT_EQ(refuse(errc::invalid_argument, unnamed, two),
                  "label number 2 has no name: there are 2 names");
        refuse(errc::invalid_argument, parse("ab=ac*cb"), one);
        refuse(errc::order_mismatch, parse("ab=acd*cb"), two);
        EXPECT_EQ(refuse(errc::invalid_argument, updating, two, {.beta = 1.0}),
                  "'ab+=ac*cb' sets beta to 1 by its '+='; do not give beta as well");
        EXPECT_EQ(base::plans_of(ctx).size(), 0U) << "a failure was kept";
    }
}

TEST(OneShot, ArraysAreTheSameTensorsAndFindTheSamePlans) {
    const context ctx(with_plan_cache(mib(4)));
    const auto a = random_tensor<double>({3, 4}, 1), b = random_tensor<double>({4, 5}, 2),
               c = random_tensor<double>({3, 5}, 3);
    tensor<double> expected({3, 5}), d({3, 5});
    const auto dense = [](const layout &shape) { return layout_arrays{shape.extents()}; };
    const auto strided = [](const layout &shape) {
        return layout_arrays{shape.extents(), shape.strides().data()};
    };
    const contract_options options{.beta = 0.5, .ctx = &ctx};
    contract("ab=ak*kb", {a, b}, c, expected, options);
    const plan_counter plans(ctx);
    const output_arrays to{data_type::f64, dense(d.shape()), d.data()};
    for (const auto &as : {layout_arrays(dense(a.shape())), strided(a.shape())}) {
        const std::array inputs{input_arrays{data_type::f64, as, a.data()},
                                input_arrays{data_type::f64, strided(b.shape()), b.data()}};
        const input_arrays separate{data_type::f64, dense(c.shape()), c.data()};
        contract("ab=ak*kb", inputs, &separate, to, options);
        EXPECT_TRUE(same_bits(d, expected));
    }
    EXPECT_EQ(plans.made(), 0U);
}

TEST(OneShot, TensorsAndViewsAreTheSameAsInputsAndFindTheSamePlans) {
    const context ctx(with_plan_cache(mib(4)));
    const contract_options options{.ctx = &ctx};
    auto a = random_tensor<float>({3, 4}, 1);
    const auto b = random_tensor<float>({4, 5}, 2);
    tensor<float> expected({3, 5}), d({3, 5}), turned({4, 3}), turned_too({4, 3});
    contract("ab=ak*kb", input(a), input(b), output(expected), options);
    contract("ba=ab", input(a), output(turned), options);
    const plan_counter plans(ctx);
    const auto expect_the_same = [&] {
        EXPECT_TRUE(same_bits(d, expected));
        std::fill_n(d.data(), d.size(), -1.0f);
    };
    contract("ab=ak*kb", a, b, d, options);
    expect_the_same();
    const tensor_view<float> to = d.view();
    contract("ab=ak*kb", a.view(), b, to, options);
    expect_the_same();
    contract("ab=ak*kb", tensor_view<const float>(a), b.view(), d.view(), options);
    expect_the_same();
    contract("ab=ak*kb", a, input(b), d, options);
    expect_the_same();
    contract("ba=ab", a, turned_too, options);
    EXPECT_TRUE(same_bits(turned_too, turned));
    EXPECT_EQ(plans.made(), 0U);

    // A scalar has an element, which a tensor that was moved from has not.
    const float scalar = 2;
    float sum = 0;
    contract(",->", tensor_view<const float>(&scalar), tensor_view<const float>(&scalar),
             tensor_view<float>(&sum), options);
    EXPECT_EQ(sum, 4);
    const tensor<float> moved = std::move(a);
    message_of([&] { contract("ab=ak*kb", a, b, d, options); }, errc::order_mismatch);
}

TEST(OneShot, ArraysAreCheckedAndConjugated) {
    const std::array<index_t, 1> extents{2}, negative{-2};
    const std::array<c64, 2> a{c64(1, 2), c64(3, -1)}, b{c64(0, 1), c64(2, 0)};
    c64 d = 0;
    std::array inputs{input_arrays{data_type::c64, {extents}, a.data(), true},
                      input_arrays{data_type::c64, {extents}, b.data()}};
    const output_arrays to{data_type::c64, {}, &d};
    for (int repetition = 0; repetition < 2; ++repetition) {
        d = 0;
        contract("=k*k", inputs, nullptr, to);
        EXPECT_EQ(d, c64(8, 3)); // (1 - 2i) i + (3 + i) 2
    }
    inputs[0].conjugated = false;
    contract("=k*k", inputs, nullptr, to);
    EXPECT_EQ(d, c64(4, -1));
    inputs[0].shape.extents = negative;
    EXPECT_THROW(contract("=k*k", inputs, nullptr, to), error);
    contract("=k", std::span<const input_arrays>(inputs).last(1), nullptr, to);
    EXPECT_EQ(d, c64(2, 1));
}

TEST(OneShot, MistakesStayMistakes) {
    const context ctx(with_plan_cache(mib(4)));
    tensor<double> a({2, 2}), b({2, 2}), d({2, 2}), longer({3, 2});
    const auto refuse = [&](errc code, std::string_view expression, const input &x, const input &y,
                            contract_options options) {
        options.ctx = &ctx;
        return message_of([&] { contract(expression, x, y, d, options); }, code);
    };
    for (int repetition = 0; repetition < 2; ++repetition) {
        refuse(errc::extent_mismatch, "ab=ac*cb", a, longer, {});
        refuse(errc::syntax, "ab=ac*", a, b, {});
        refuse(errc::invalid_argument, "ab=ac*cb", a, b, {.threads = -1});
        refuse(errc::invalid_argument, "ab+=ac*cb", a, b, {.beta = 1.0});
        EXPECT_EQ(base::plans_of(ctx).size(), 0U) << "a failure was kept";
    }
    contract("ab+=ac*cb", a, b, d, {.ctx = &ctx});
    EXPECT_EQ(refuse(errc::invalid_argument, "ab+=ac*cb", a, b, {.beta = 1.0}),
              "'ab+=ac*cb' sets beta to 1 by its '+='; do not give beta as well");
    refuse(errc::overlap, "ab+=ac*cb", a, d, {}); // operands are also checked if the plan is cached
    contract("ab+=ac*cb", a, b, d, {.ctx = &ctx});
    EXPECT_EQ(base::plans_of(ctx).size(), 1U);
}

} // namespace
} // namespace tenfold
