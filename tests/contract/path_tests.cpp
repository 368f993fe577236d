// Tests contract_options::path and contraction_plan::path(): orders that callers give and get.
#include <array>
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

/// Tensors of small integers, so that results of every order are equal.
struct chain {
    tensor<double> a{{6, 7}}, b{{7, 8}}, e{{8, 5}}, f{{5, 9}}, d{{6, 9}};

    chain() {
        testing::random_source random(7);
        for (tensor<double> *one : {&a, &b, &e, &f})
            for (index_t i = 0; i < one->size(); ++i)
                one->data()[i] = static_cast<double>(random.integer(-4, 4));
    }
    std::vector<input> inputs() const { return {a, b, e, f}; }

    std::vector<double> result(std::string_view expression, const contract_options &options = {}) {
        for (index_t i = 0; i < d.size(); ++i)
            d.data()[i] = std::numeric_limits<double>::quiet_NaN();
        contract(expression, inputs(), d, options);
        return {d.data(), d.data() + d.size()};
    }
    contraction_plan plan(std::string_view expression, const contract_options &options = {}) {
        return make_plan(expression, inputs(), d, options);
    }
};

std::vector<std::vector<std::size_t>> operands_of(const contraction_plan &plan) {
    std::vector<std::vector<std::size_t>> all;
    for (const step_summary &step : plan.summary().steps)
        all.push_back(step.operands);
    return all;
}

constexpr std::string_view product = "im=ij*jk*kl*lm";

TEST(PathOption, OrdersTheSteps) {
    chain x;
    const std::vector<double> expected = x.result(product);
    const std::pair<path_steps, std::vector<std::vector<std::size_t>>> cases[] = {
        {{{0, 1}, {2, 0}, {1, 0}}, {{0, 1}, {4, 2}, {5, 3}}},
        {{{0, 1}, {0, 1}, {0, 1}}, {{0, 1}, {2, 3}, {4, 5}}},
        {{{2, 3}, {1, 2}, {0, 1}}, {{2, 3}, {1, 4}, {0, 5}}},
        {{{0, 3}, {0, 1}, {0, 1}}, {{0, 3}, {1, 2}, {4, 5}}}, // an outer product, at that
    };
    for (const auto &[path, operands] : cases) {
        const contraction_plan plan = x.plan(product, {.path = path});
        EXPECT_EQ(plan.path(), path);
        EXPECT_EQ(plan.summary().path, path);
        EXPECT_EQ(operands_of(plan), operands);
        EXPECT_EQ(x.result(product, {.path = path}), expected);
        EXPECT_NE(plan.explain().find("3 steps, in the given order, "), std::string::npos)
            << plan.explain();
    }
}

TEST(PathOption, IsThatOfParentheses) {
    chain x;
    const std::vector<double> expected = x.result(product);
    const std::pair<const char *, path_steps> cases[] = {
        {"im=(ij*jk)*(kl*lm)", {{0, 1}, {0, 1}, {0, 1}}},
        {"im=ij*(jk*(kl*lm))", {{2, 3}, {1, 2}, {0, 1}}},
        {"D[i,m]=(A[i,j]*B[j,k])*(E[k,l]*F[l,m])", {{0, 1}, {0, 1}, {0, 1}}},
    };
    for (const auto &[text, path] : cases) {
        EXPECT_EQ(x.plan(text).path(), path) << text;
        EXPECT_EQ(x.result(text), expected) << text;
    }
    // Parentheses of more than two leave the order within to Tenfold.
    const path_steps path = x.plan("im=(ij*jk*kl)*lm").path();
    ASSERT_EQ(path.size(), 3U);
    EXPECT_EQ(path.back(), (std::vector<int>{1, 0}));
    EXPECT_EQ(x.result("im=(ij*jk*kl)*lm"), expected);
    EXPECT_EQ(message_of(
                  [&] {
                      (void)x.plan("im=(ij*jk)*kl*lm", {.path = {{0, 1, 2, 3}}});
                  },
                  errc::invalid_argument),
              "'im=(ij*jk)*kl*lm' says by its parentheses what is contracted first; do not give a "
              "path as well");
}

TEST(PathOption, PlansGiveBackWhatTheyTake) {
    for (const int test_case : testing::cases(100)) {
        SCOPED_TRACE(testing::rerun_line(test_case));
        testing::random_source random(test_case);
        const auto count = static_cast<std::size_t>(random.integer(3, 13));
        label_lists lists;
        for (std::size_t i = 0; i < count; ++i) { // a ring with chords
            lists.inputs.push_back({static_cast<int>(i), static_cast<int>((i + 1) % count)});
            lists.inputs.back().push_back(100 +
                                          (i == 0 ? 0 : static_cast<int>(random.integer(0, 3))));
        }
        lists.output = std::vector<label_t>{100};
        const contraction_spec spec = parse(lists);
        std::vector<input> inputs;
        for (std::size_t i = 0; i < count; ++i)
            inputs.emplace_back(data_type::f64, nullptr, layout({2, 2, 2}));
        const output d(data_type::f64, nullptr, layout({2}));
        const contraction_plan free = make_plan(spec, inputs, d, d);
        ASSERT_EQ(free.path().size(), count - 1);
        const contraction_plan given = make_plan(spec, inputs, d, d, {.path = free.path()});
        EXPECT_EQ(given.path(), free.path());
        EXPECT_EQ(given.summary().flops, free.summary().flops);
        EXPECT_EQ(given.workspace_size(), free.workspace_size());
        ASSERT_EQ(given.summary().steps.size(), free.summary().steps.size());
        for (std::size_t s = 0; s < free.summary().steps.size(); ++s) {
            EXPECT_EQ(given.summary().steps[s].expression, free.summary().steps[s].expression);
            EXPECT_EQ(given.summary().steps[s].operands, free.summary().steps[s].operands);
        }
    }
}

TEST(PathOption, OfOneAndTwoInputs) {
    const tensor<double> a({3, 4}), b({4, 5});
    tensor<double> d({3, 5}), sums({3});
    EXPECT_EQ(make_plan("ik=ij*jk", a, b, d).path(), (path_steps{{0, 1}}));
    EXPECT_EQ(make_plan("i=ij", a, sums).path(), (path_steps{{0}}));
    contract("ik=ij*jk", a, b, d, {.path = {{1, 0}}});
    contract("i=ij", a, sums, {.path = {{0}}});
    EXPECT_EQ(
        message_of([&] { contract("ik=ij*jk", a, b, d, {.path = {{0}}}); }, errc::invalid_argument),
        "the path leaves 2 of 2 operands that are not contracted; add the steps that "
        "contract them");
    EXPECT_EQ(message_of(
                  [&] {
                      contract("i=ij", a, sums, {.path = {{0, 1}}});
                  },
                  errc::invalid_argument),
              "step 1 of the path names position 1, but the only operand that is left has "
              "position 0");
    EXPECT_EQ(make_plan("ik=ij*jk", tensor<double>({3, 0}), tensor<double>({0, 5}), d).path(),
              (path_steps{{0, 1}}));
}

TEST(PathOption, WrongPathsAreRefused) {
    chain x;
    const auto refusal = [&](const path_steps &path) {
        x.d.data()[0] = 5;
        const std::string message = message_of(
            [&] { contract(product, x.inputs(), x.d, {.path = path}); }, errc::invalid_argument);
        EXPECT_EQ(x.d.data()[0], 5);
        return message;
    };
    EXPECT_EQ(refusal({{0, 1}, {0, 1}}), "the path leaves 2 of 4 operands that are not contracted; "
                                         "add the steps that contract them");
    EXPECT_EQ(refusal({{0, 1}, {3, 0}, {0, 1}}),
              "step 2 of the path names position 3, but the 3 operands that are left have "
              "positions 0 to 2");
    EXPECT_EQ(refusal({{0, 1}, {0, 0}, {0, 1}}), "step 2 of the path names position 0 twice");
    contraction_spec spec = parse(product);
    spec.path = {{4, 0}};
    EXPECT_EQ(message_of([&] { contract(spec, x.inputs(), x.d); }, errc::invalid_argument),
              "step 1 of the path names position 4, but the 4 operands that are left have "
              "positions 0 to 3");
}

TEST(PathOption, NothingIsMultipliedWhereAnExtentIsZero) {
    const tensor<double> a({6, 0}), b({0, 8}), e({8, 5});
    tensor<double> d({6, 5});
    d.data()[3] = 4;
    const contract_options options{.path = {{0, 1}, {0, 1}}};
    EXPECT_EQ(make_plan("il=ij*jk*kl", a, b, e, d, options).path(), (path_steps{{0, 1, 2}}));
    contract("il=ij*jk*kl", a, b, e, d, options);
    EXPECT_EQ(d.data()[3], 0);
}

/// Another path is never taken in place of the caller's.
TEST(PathOption, IsKeptWithinAWorkspaceLimit) {
    std::vector<input> inputs;
    for (const extents_t &extents : {extents_t{40, 2}, extents_t{2, 50}, extents_t{50, 3}})
        inputs.emplace_back(data_type::f64, nullptr, layout(extents));
    const output d(data_type::f64, nullptr, layout({40, 3}));
    contract_options options{.path = {{0, 1}, {1, 0}}};
    const contraction_plan plan = make_plan("il=ij*jk*kl", inputs, d, options);
    ASSERT_GE(plan.workspace_size(), bytes(40 * 50 * 8)) << "an intermediate of 40 x 50";
    options.workspace_limit = bytes(1 << 10);
    EXPECT_NO_THROW((void)make_plan("il=ij*jk*kl", inputs, d, {.workspace_limit = bytes(1 << 10)}));
    const std::string message = message_of(
        [&] { (void)make_plan("il=ij*jk*kl", inputs, d, options); }, errc::workspace_too_small);
    EXPECT_TRUE(message.starts_with("this contraction in the given order ")) << message;
}

TEST(PathOption, ReproducibleResultsAreThoseOfTheirPath) {
    chain x;
    for (const path_steps &path :
         {path_steps{{0, 1}, {0, 1}, {0, 1}}, path_steps{{2, 3}, {1, 2}, {0, 1}}}) {
        const contraction_plan plan = x.plan(product, {.reproducible = true, .path = path});
        EXPECT_EQ(plan.path(), path);
        EXPECT_EQ(x.result(product, {.reproducible = true, .path = path}), x.result(product));
    }
}

TEST(PathOption, CallsOfAnotherPathAreOtherPlans) {
    settings mine;
    mine.threads = 1;
    const context ctx(mine);
    chain x;
    const auto plans = [&] { return base::plans_of(ctx).size(); };
    x.result(product, {.ctx = &ctx});
    EXPECT_EQ(plans(), 1U);
    const path_steps one{{0, 1}, {0, 1}, {0, 1}}, other{{2, 3}, {1, 2}, {0, 1}};
    x.result(product, {.path = one, .ctx = &ctx});
    EXPECT_EQ(plans(), 2U);
    x.result(product, {.path = other, .ctx = &ctx});
    EXPECT_EQ(plans(), 3U);
    x.result(product, {.path = one, .ctx = &ctx});
    EXPECT_EQ(plans(), 3U);
    contraction_spec spec = parse(product);
    for (const path_steps &path : {path_steps{}, one, other, one, path_steps{}}) {
        spec.path = path;
        contract(spec, x.inputs(), x.d, {.ctx = &ctx});
    }
    EXPECT_EQ(plans(), 6U);
    // So with broadcasting.
    const tensor<double> row({1, 7}), matrix({6, 7});
    tensor<double> d({6, 7});
    EXPECT_THROW(contract("ij=ij*ij", row, matrix, d, {.ctx = &ctx}), error);
    contract("ij=ij*ij", row, matrix, d, {.broadcast = true, .ctx = &ctx});
    EXPECT_THROW(contract("ij=ij*ij", row, matrix, d, {.ctx = &ctx}), error);
    spec = parse("ij=ij*ij");
    const std::array<input, 2> both{row, matrix};
    EXPECT_THROW(contract(spec, both, d, {.ctx = &ctx}), error);
    spec.broadcast = true;
    contract(spec, both, d, {.ctx = &ctx});
    spec.broadcast = false;
    EXPECT_THROW(contract(spec, both, d, {.ctx = &ctx}), error);
}

TEST(PathOption, SummariesHaveItInJson) {
    chain x;
    const path_steps path{{0, 1}, {2, 0}, {1, 0}};
    const std::string json = to_json(x.plan(product, {.path = path}).summary());
    EXPECT_NE(json.find("\"path\":[[0,1],[2,0],[1,0]]"), std::string::npos) << json;
}

} // namespace
} // namespace tenfold
