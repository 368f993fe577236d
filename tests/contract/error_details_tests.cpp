// Tests what errors say in fields: every code that has some, from every place that knows them.
#include <array>
#include <functional>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

namespace tenfold {
namespace {

/// What `work` throws; fails if that is not an error of this code.
error_details details_of(errc code, const std::function<void()> &work) {
    try {
        work();
    } catch (const error &problem) {
        EXPECT_EQ(name(problem.code()), name(code)) << problem.what();
        return problem.details();
    }
    ADD_FAILURE() << "nothing was thrown, but " << name(code) << " was expected";
    return {};
}

error_operand mode_of(const char *name, int mode, index_t extent) {
    return {.name = name, .mode = mode, .extent = extent};
}

template <class T = double> input of(extents_t extents) {
    return {data_type_of<T>, nullptr, layout(std::move(extents))};
}
template <class T = double> output to(extents_t extents) {
    return {data_type_of<T>, nullptr, layout(std::move(extents))};
}

TEST(ErrorDetails, AreEmptyWhereNothingIsKnown) {
    EXPECT_EQ(error(errc::io, "text").details(), error_details{});
    const auto given = details_of(errc::invalid_argument, [] {
        (void)make_plan("ab=ak*kb", of({2, 3}), of({3, 4}), to({2, 4}), {.threads = -1});
    });
    EXPECT_EQ(given, error_details{});
}

TEST(ErrorDetails, SurviveCopies) {
    const error made(errc::syntax, "text", {.position = 3});
    error copy(errc::io, "other");
    copy = made;
    EXPECT_EQ(copy.details().position, 3U);
    EXPECT_EQ(copy.code(), errc::syntax);
}

TEST(ErrorDetails, ExtentMismatch) {
    const auto two = details_of(errc::extent_mismatch, [] {
        (void)make_plan("abcd=aebf*dfce", of({2, 24, 3, 4}), of({5, 4, 6, 20}), to({2, 3, 6, 5}));
    });
    EXPECT_EQ(two, (error_details{
                       .label = "e", .first = mode_of("A", 1, 24), .second = mode_of("B", 3, 20)}));
    const std::array inputs{of({2, 3}), of({3, 4}), of({5, 6})};
    const auto many = details_of(errc::extent_mismatch, [&] {
        (void)make_plan("ij,jk,kl->il", inputs, to({2, 6}));
    });
    EXPECT_EQ(many, (error_details{.label = "k",
                                   .first = mode_of("input 2", 1, 4),
                                   .second = mode_of("input 3", 0, 5)}));
    const auto named = details_of(errc::extent_mismatch, [&] {
        (void)make_plan("R[i,l]=U[i,j]*V[j,occ]*W[occ,l]", inputs, to({2, 6}));
    });
    EXPECT_EQ(
        named,
        (error_details{.label = "occ", .first = mode_of("V", 1, 4), .second = mode_of("W", 0, 5)}));
    const auto output = details_of(errc::extent_mismatch, [] {
        (void)make_plan("ab=ak*kb", of({2, 3}), of({3, 4}), to({2, 7}));
    });
    EXPECT_EQ(
        output,
        (error_details{.label = "b", .first = mode_of("B", 1, 4), .second = mode_of("D", 1, 7)}));
}

TEST(ErrorDetails, ExtentMismatchOfTranspositions) {
    const auto labelled = details_of(errc::extent_mismatch, [] {
        transpose("ba=ab", of({2, 3}), to({3, 5}));
    });
    EXPECT_EQ(
        labelled,
        (error_details{.label = "a", .first = mode_of("A", 0, 2), .second = mode_of("B", 1, 5)}));
    const std::array permutation{1, 0};
    const auto plain = details_of(errc::extent_mismatch, [&] {
        transpose_plan(permutation, data_type::f64, layout({2, 3}), data_type::f64, layout({4, 2}));
    });
    EXPECT_EQ(plain, (error_details{.first = mode_of("A", 1, 3), .second = mode_of("B", 0, 4)}));
}

TEST(ErrorDetails, ExtentMismatchOfMatrices) {
    std::array<double, 64> data{};
    const matrix_view<const double> a(data.data(), 2, 3), b(data.data(), 4, 5);
    const auto product = details_of(
        errc::extent_mismatch, [&] { gemm<double>(a, b, matrix_view<double>(data.data(), 2, 5)); });
    EXPECT_EQ(
        product,
        (error_details{.label = "k", .first = mode_of("A", 1, 3), .second = mode_of("B", 0, 4)}));
    const auto batch = details_of(errc::extent_mismatch, [&] {
        const matrix_view<double> c(data.data(), 1, 1);
        const matrix_view<const double> one(data.data(), 1, 1);
        gemm_batch<double>(matrix_batch<const double>::strided(one, 2, 1),
                           matrix_batch<const double>::strided(one, 3, 1),
                           matrix_batch<double>::strided(c, 3, 1));
    });
    EXPECT_EQ(batch, (error_details{.label = "batch",
                                    .first = {.name = "A", .extent = 2},
                                    .second = {.name = "C", .extent = 3}}));
    const auto bias = details_of(errc::extent_mismatch, [&] {
        std::array<double, 9> c{};
        epilogue finish;
        finish.scale(2.0).add_along_rows(data.data(), 7);
        gemm<double>(matrix_view<const double>(data.data(), 3, 3),
                     matrix_view<const double>(data.data(), 3, 3),
                     matrix_view<double>(c.data(), 3, 3), {.epilogue = &finish});
    });
    EXPECT_EQ(bias, (error_details{.first = mode_of("epilogue step 2", 1, 7),
                                   .second = mode_of("C", 1, 3)}));
}

TEST(ErrorDetails, ExtentMismatchOfLayouts) {
    const error_details expected{.first = {.mode = 1, .extent = 5},
                                 .second = {.mode = 1, .extent = 4}};
    EXPECT_EQ(details_of(errc::extent_mismatch,
                         [] {
                             (void)layout::within({2, 5}, {3, 4});
                         }),
              expected);
    EXPECT_EQ(details_of(errc::extent_mismatch,
                         [] {
                             (void)layout({3, 4}).block({0, 0}, {2, 5});
                         }),
              expected);
}

TEST(ErrorDetails, OrderMismatch) {
    const auto labels = details_of(errc::order_mismatch, [] {
        (void)make_plan("ab=ak*kb", of({2, 3}), of({3, 4, 5}), to({2, 4}));
    });
    EXPECT_EQ(
        labels,
        (error_details{.first = {.name = "B", .order = 3}, .second = {.order = 2}, .position = 6}));
    const auto output = details_of(errc::order_mismatch, [] {
        (void)make_plan("ab=ak*kb", of({2, 3}), of({3, 4}), to({2, 4, 1}));
    });
    EXPECT_EQ(output, (error_details{.first = {.name = "D", .order = 3}, .second = {.order = 2}}));
    const auto named = details_of(errc::order_mismatch, [] {
        (void)make_plan("R[i]=V[i,k]*T[k]", of({2, 3}), of({3, 3}), to({2}));
    });
    EXPECT_EQ(named.first, (error_operand{.name = "T", .order = 2}));
    const auto strides = details_of(errc::order_mismatch, [] { layout({2, 3, 4}, {1, 2}); });
    EXPECT_EQ(strides, (error_details{.first = {.order = 2}, .second = {.order = 3}}));
    const auto transposed = details_of(errc::order_mismatch, [] {
        transpose("ba=ab", of({2, 3}), to({3, 2, 1}));
    });
    EXPECT_EQ(transposed,
              (error_details{.first = {.name = "B", .order = 3}, .second = {.order = 2}}));
    const std::array permutation{1, 0};
    const auto plain = details_of(errc::order_mismatch, [&] {
        transpose_plan(permutation, data_type::f64, layout({2, 3}), data_type::f64, layout({3}));
    });
    EXPECT_EQ(plain, (error_details{.first = {.name = "A", .order = 2},
                                    .second = {.name = "B", .order = 1}}));
}

TEST(ErrorDetails, UnknownLabel) {
    const auto parsed = details_of(errc::unknown_label, [] { (void)parse("ax=ak*kb"); });
    EXPECT_EQ(parsed, (error_details{.label = "x", .position = 1}));
    contraction_spec spec = parse("ab=ak*kb");
    spec.output.push_back(3);
    spec.label_names.emplace_back("new");
    const std::array inputs{of({2, 3}), of({3, 4})};
    const auto of_two = details_of(errc::unknown_label, [&] {
        const output d = to({2, 4, 5});
        (void)make_plan(spec, inputs, d, d);
    });
    const error_details expected{.label = "new", .first = {.name = "D", .mode = 2}};
    EXPECT_EQ(of_two, expected);
}

TEST(ErrorDetails, RepeatedLabel) {
    const auto contracted = details_of(errc::repeated_label, [] {
        (void)make_plan("aa=ak*ka", of({2, 3}), of({3, 2}), to({2, 2}));
    });
    EXPECT_EQ(contracted, (error_details{.label = "a", .first = {.name = "D", .mode = 0}}));
    const auto transposed = details_of(errc::repeated_label, [] {
        transpose("ab=aab", of({2, 2, 3}), to({2, 3}));
    });
    EXPECT_EQ(transposed, (error_details{.label = "a", .first = {.name = "A"}}));
}

TEST(ErrorDetails, TypeMismatch) {
    const auto inputs = details_of(errc::type_mismatch, [] {
        (void)make_plan("ab=ak*kb", of<float>({2, 3}), of<double>({3, 4}), to<float>({2, 4}));
    });
    EXPECT_EQ(inputs, (error_details{.first = {.name = "B", .type = data_type::f64},
                                     .second = {.name = "D", .type = data_type::f32}}));
    const auto output = details_of(errc::type_mismatch, [] {
        (void)make_plan("ab=ak*kb", of<double>({2, 3}), of<bf16>({3, 4}), to<bf16>({2, 4}));
    });
    EXPECT_EQ(output, (error_details{.first = {.name = "A", .type = data_type::f64},
                                     .second = {.name = "D", .type = data_type::bf16}}));
    const auto c = details_of(errc::type_mismatch, [] {
        (void)make_plan("ab=ak*kb", of<bf16>({2, 3}), of<bf16>({3, 4}), of({2, 4}),
                        to<float>({2, 4}));
    });
    EXPECT_EQ(c, (error_details{.first = {.name = "C", .type = data_type::f64},
                                .second = {.name = "D", .type = data_type::f32}}));
    const std::array many{of({2, 3}), of({3, 4}), of<c32>({4, 5})};
    const auto third = details_of(errc::type_mismatch, [&] {
        (void)make_plan("ij,jk,kl->il", many, to({2, 5}));
    });
    EXPECT_EQ(third, (error_details{.first = {.name = "input 3", .type = data_type::c32},
                                    .second = {.name = "D", .type = data_type::f64}}));
    const auto transposed = details_of(errc::type_mismatch, [] {
        transpose("ba=ab", of<c64>({2, 3}), to({3, 2}));
    });
    EXPECT_EQ(transposed, (error_details{.first = {.name = "A", .type = data_type::c64},
                                         .second = {.name = "B", .type = data_type::f64}}));
}

TEST(ErrorDetails, SyntaxHasThePosition) {
    EXPECT_EQ(details_of(errc::syntax, [] { (void)parse("abcd=aebf*"); }),
              error_details{.position = 10});
    EXPECT_EQ(details_of(errc::syntax, [] { (void)parse("ab=a?*?b"); }),
              error_details{.position = 4});
}

TEST(ErrorDetails, Overlap) {
    const auto itself = details_of(errc::overlap, [] {
        const output d(data_type::f64, nullptr, layout({2, 4}, {1, 0}));
        (void)make_plan("ab=ak*kb", of({2, 3}), of({3, 4}), d);
    });
    EXPECT_EQ(itself, (error_details{.first = {.name = "D"}}));
    std::array<double, 16> data{};
    const auto matrices = details_of(errc::overlap, [&] {
        gemm<double>(matrix_view<const double>(data.data() + 8, 2, 2),
                     matrix_view<const double>(data.data() + 3, 2, 2),
                     matrix_view<double>(data.data(), 2, 2));
    });
    EXPECT_EQ(matrices, (error_details{.first = {.name = "B"}, .second = {.name = "C"}}));
    const auto executed = details_of(errc::overlap, [&] {
        const tensor_view<double> all(data.data(), {2, 2});
        contract("ab=ak*kb", tensor_view<double>(data.data() + 8, {2, 2}), all, all);
    });
    EXPECT_EQ(executed, (error_details{.first = {.name = "B"}}));
}

TEST(ErrorDetails, TwoTensorsOfOneName) {
    const auto two = details_of(errc::invalid_argument, [] {
        (void)make_plan("R[a,b]=T[a,c]*T[c,b]", of({2, 2}), of({2, 3}), to({2, 3}));
    });
    EXPECT_EQ(two, (error_details{.first = {.name = "A"}, .second = {.name = "B"}}));
    const auto three = details_of(errc::invalid_argument, [] {
        const std::array inputs{of({2, 2}), of({2, 2}), of({2, 3})};
        (void)make_plan("R[a,b]=G[a,c]*T[c,d]*T[d,b]", inputs, to({2, 3}));
    });
    EXPECT_EQ(three, (error_details{.first = {.name = "input 2"}, .second = {.name = "input 3"}}));
}

TEST(ErrorDetails, NullPointer) {
    std::array<double, 4> data{};
    const auto matrices = details_of(errc::null_pointer, [&] {
        gemm<double>(matrix_view<const double>(data.data(), 1, 1),
                     matrix_view<const double>(nullptr, 1, 1),
                     matrix_view<double>(data.data() + 1, 1, 1));
    });
    EXPECT_EQ(matrices, (error_details{.first = {.name = "B"}}));
    const auto executed = details_of(errc::null_pointer, [&] {
        contract("ab=ak*kb", of({1, 1}), tensor_view<double>(data.data(), {1, 1}),
                 tensor_view<double>(data.data() + 1, {1, 1}));
    });
    EXPECT_EQ(executed, (error_details{.first = {.name = "A"}}));
}

TEST(ErrorDetails, OfAStatus) {
    EXPECT_EQ(status(errc::null_pointer, 'B').details(), (error_details{.first = {.name = "B"}}));
    EXPECT_EQ(status(errc::null_pointer, 3).details(),
              (error_details{.first = {.name = "input 3"}}));
    EXPECT_EQ(status(errc::out_of_memory).details(), error_details{});
}

TEST(ErrorDetails, WorkspaceTooSmall) {
    const auto limited = [](byte_count limit) {
        (void)make_plan("abcd=aebf*dfce", of({8, 9, 10, 11}), of({12, 11, 13, 9}),
                        to({8, 10, 13, 12}),
                        {.algorithm = algorithm::ttgt, .workspace_limit = limit});
    };
    const auto refused = details_of(errc::workspace_too_small, [&] { limited(bytes(1)); });
    ASSERT_TRUE(refused.least.has_value());
    limited(*refused.least); // that much does
    EXPECT_EQ(refused, (error_details{.least = refused.least}));
}

} // namespace
} // namespace tenfold
