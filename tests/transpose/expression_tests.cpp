// Tests transpose("ba=ab", ...): the meaning of expressions, and which are refused.
#include <gtest/gtest.h>

#include <tenfold/tensor.hpp>
#include <tenfold/transpose.hpp>

namespace tenfold {
namespace {

/// A[i, j] = 10 i + j + 1, 2 x 3; B is 3 x 2 and full of 100.
struct Expression : ::testing::Test {
    tensor<double> a{{2, 3}};
    tensor<double> b{{3, 2}};

    Expression() {
        for (index_t i = 0; i < 2; ++i)
            for (index_t j = 0; j < 3; ++j) {
                a(i, j) = static_cast<double>(10 * i + j + 1);
                b(j, i) = 100;
            }
    }
    void expect_b(double alpha, double beta) {
        for (index_t i = 0; i < 2; ++i)
            for (index_t j = 0; j < 3; ++j)
                EXPECT_EQ(b(j, i), alpha * a(i, j) + beta * 100) << i << " " << j;
    }
    errc code_of(std::string_view expression, const transpose_options &options = {},
                 std::string *message = nullptr) {
        try {
            transpose(expression, a, b, options);
        } catch (const error &caught) {
            if (message != nullptr)
                *message = caught.what();
            return caught.code();
        }
        return errc::ok;
    }
};

TEST_F(Expression, Assigns) {
    transpose("ba=ab", a, b);
    expect_b(1, 0);
}

TEST_F(Expression, AddsAndSubtracts) {
    transpose("ba+=ab", a, b);
    expect_b(1, 1);
    transpose("ba-=ab", a, b);
    expect_b(0, 1);
}

TEST_F(Expression, ScaleMultipliesAlpha) {
    transpose("ba=-2*ab", a, b, {.alpha = 3, .beta = 2});
    expect_b(-6, 2);
}

TEST_F(Expression, OtherNotations) {
    transpose("ab->ba", a, b);
    expect_b(1, 0);
    transpose("B[col,row]=0.5*A[row,col]", a, b);
    expect_b(0.5, 0);
}

TEST_F(Expression, Conjugates) {
    tensor<c32> from({2});
    tensor<c32> to({2});
    from(0) = {1, 2};
    from(1) = {3, -4};
    transpose("a=a", conj(from), to);
    EXPECT_EQ(to(0), c32(1, -2));
    EXPECT_EQ(to(1), c32(3, 4));
}

TEST_F(Expression, Converts) {
    tensor<float> single({3, 2});
    transpose("ba=ab", a, single, {.alpha = 2});
    EXPECT_EQ(single(2, 1), 26.0F);
}

TEST_F(Expression, AccumulationAndBetaExcludeEachOther) {
    EXPECT_EQ(code_of("ba+=ab", {.beta = 1}), errc::invalid_argument);
    EXPECT_EQ(code_of("ba-=ab", {.beta = 0}), errc::invalid_argument);
    expect_b(0, 1);
}

TEST_F(Expression, WhatIsNoTransposition) {
    EXPECT_EQ(code_of("ba=ab*ab"), errc::order_mismatch);
    EXPECT_EQ(code_of("ba=aa"), errc::unknown_label);
    EXPECT_EQ(code_of("aa=aa"), errc::repeated_label);
    EXPECT_EQ(code_of("b=ab"), errc::order_mismatch);
    EXPECT_EQ(code_of("ba=abc"), errc::order_mismatch);
    tensor<double> row({3});
    EXPECT_THROW(transpose("b=ab", a, row), error);
    expect_b(0, 1);
}

TEST_F(Expression, ExtentsAreNamedWithTheirLabel) {
    std::string message;
    EXPECT_EQ(code_of("ab=ab", {}, &message), errc::extent_mismatch);
    EXPECT_EQ(message, "label 'a': A mode 0 has extent 2, B mode 0 has extent 3");
}

TEST_F(Expression, FailedStatusThrows) {
    const tensor_view<const double> nothing(nullptr, {2, 3});
    EXPECT_THROW(transpose("ba=ab", nothing, b), error);
    EXPECT_NO_THROW(transpose("ba=ab", nothing, b, {.alpha = 0, .beta = 1}));
    expect_b(0, 1);
}

} // namespace
} // namespace tenfold
