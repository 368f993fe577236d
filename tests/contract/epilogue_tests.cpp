// Epilogues of contractions: every kind of step, every way to call, and what is refused.
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

namespace tenfold::testing {
namespace {

using numbers = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

tensor_view<double> view(numbers &of, extents_t extents) { return {of.data(), std::move(extents)}; }

/// Returns the message of what contract() or make_plan() throws, and expects that code.
template <class Call> std::string refusal(errc code, const Call &call) {
    try {
        call();
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), code) << refused.what();
        return refused.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
}

/// C(2 x 3) = A(2 x 2) B(2 x 3), with the result {{7, 10}, {15, 22}, {23, 34}} by columns.
struct small_product {
    numbers a{1, 2, 3, 4}, b{1, 2, 3, 4, 5, 6}, d = numbers(6, nan);

    void run(const contraction_epilogue &finish, contract_options options = {}) {
        options.epilogue = &finish;
        contract("ij=ik*kj", view(a, {2, 2}), view(b, {2, 3}), view(d, {2, 3}), options);
    }
    contraction_plan planned(const contraction_epilogue &finish) {
        return make_plan("ij=ik*kj", view(a, {2, 2}), view(b, {2, 3}), view(d, {2, 3}),
                         {.epilogue = &finish});
    }
};

TEST(ContractionEpilogue, StepsAreAppliedInOrder) {
    small_product x;
    numbers rows{1, 2}, columns{10, 20, 30}, all{1, 0, 1, 0, 1, 0};
    contraction_epilogue finish;
    finish.add("i", view(rows, {2}))
        .scale(2.0)
        .add("j", view(columns, {3}), -1.0)
        .multiply("ij", view(all, {2, 3}), 3.0)
        .apply(elementwise::relu);
    x.run(finish);
    EXPECT_EQ(x.d, (numbers{18, 0, 36, 0, 54, 0}));
}

TEST(ContractionEpilogue, FollowsAlphaAndBeta) {
    small_product x;
    x.d = numbers(6, 1);
    numbers bias{1, 2};
    x.run(contraction_epilogue().add("i", view(bias, {2})), {.alpha = 2.0, .beta = -1.0});
    EXPECT_EQ(x.d, (numbers{14, 21, 30, 45, 46, 69}));
}

TEST(ContractionEpilogue, ABiasMayBeAScalarOrHaveAnyStrides) {
    small_product x;
    numbers one{5}, backwards{3, 0, 2, 0, 1};
    contraction_epilogue finish;
    finish.add("", tensor_view<double>(one.data()))
        .add("j", tensor_view<double>(backwards.data() + 4, {3}, {-2}))
        .add("ji", tensor_view<double>(one.data(), {3, 2}, {0, 0}));
    x.run(finish);
    EXPECT_EQ(x.d, (numbers{18, 21, 27, 34, 36, 47}));
}

TEST(ContractionEpilogue, ARepeatedLabelIsTheDiagonal) {
    small_product x;
    numbers matrix{100, nan, nan, 200};
    x.run(contraction_epilogue().add("ii", view(matrix, {2, 2})));
    EXPECT_EQ(x.d, (numbers{107, 210, 115, 222, 123, 234}));
}

TEST(ContractionEpilogue, HasNoDataInABatch) {
    small_product x;
    numbers bias{1, 2};
    contraction_epilogue finish;
    finish.add("i", view(bias, {2}));
    const contraction_plan plan = x.planned(finish);
    const std::array inputs{input_batch::strided(x.a.data(), 4),
                            input_batch::strided(x.b.data(), 6)};
    EXPECT_EQ(plan.execute_batch(
                      {.count = 1, .inputs = inputs, .d = output_batch::strided(x.d.data(), 6)})
                  .code(),
              errc::invalid_argument);
}

TEST(ContractionEpilogue, ExecutesWithAnExecutor) {
    small_product x;
    numbers bias{1, 2};
    contraction_epilogue finish;
    finish.add("i", view(bias, {2}));
    const contraction_plan plan = x.planned(finish);
    const std::array<const void *, 2> inputs{x.a.data(), x.b.data()};
    const std::vector<const void *> of_steps = finish.data();
    execution_record record;
    plan.execute({.inputs = inputs, .d = x.d.data(), .epilogue = of_steps},
                 {.threads = 1, .record = &record})
        .throw_if_failed();
    EXPECT_EQ(x.d, (numbers{8, 12, 16, 24, 24, 36}));
    EXPECT_EQ(record.threads, 1);
    EXPECT_GT(record.flops, 0);
    numbers again(6, nan);
    contract("ij=ik*kj", view(x.a, {2, 2}), view(x.b, {2, 3}), view(again, {2, 3}),
             {.epilogue = &finish, .record = &record});
    EXPECT_EQ(again, x.d);
    EXPECT_GT(record.bytes, 0);
}

TEST(ContractionEpilogue, FunctionsAreThoseOfGemm) {
    for (const elementwise function :
         {elementwise::relu, elementwise::exp, elementwise::tanh, elementwise::sigmoid,
          elementwise::gelu_tanh, elementwise::gelu_erf})
        for (const algorithm by : {algorithm::automatic, algorithm::ttgt, algorithm::reference}) {
            numbers a(40 * 30), b(30 * 50), expected(40 * 50), d(40 * 50);
            for (std::size_t i = 0; i < a.size(); ++i)
                a[i] = std::sin(static_cast<double>(i));
            for (std::size_t i = 0; i < b.size(); ++i)
                b[i] = std::cos(static_cast<double>(i));
            const epilogue of_matrix = epilogue().apply(function);
            gemm<double>({a.data(), 40, 30}, {b.data(), 30, 50}, {expected.data(), 40, 50},
                         {.epilogue = &of_matrix});
            contraction_epilogue finish;
            finish.apply(function);
            contract("ij=ik*kj", view(a, {40, 30}), view(b, {30, 50}), view(d, {40, 50}),
                     {.algorithm = by, .epilogue = &finish});
            for (std::size_t i = 0; i < d.size(); ++i)
                ASSERT_NEAR(d[i], expected[i], 1e-13 * (1 + std::abs(expected[i])))
                    << name(function) << " by " << name(by);
        }
}

TEST(ContractionEpilogue, AppliesWhereNothingIsMultiplied) {
    numbers bias{1, 2};
    contraction_epilogue finish;
    finish.add("i", view(bias, {2})).scale(10.0);
    for (const bool reproducible : {false, true}) {
        small_product x;
        x.a = x.b = numbers(6, nan);
        x.d = numbers(6, 4);
        x.run(finish, {.alpha = 0.0, .beta = 0.5, .reproducible = reproducible});
        EXPECT_EQ(x.d, (numbers{30, 40, 30, 40, 30, 40}));
        x.run(finish, {.alpha = 0.0, .beta = 1.0, .reproducible = reproducible}); // D = f(D)
        EXPECT_EQ(x.d, (numbers{310, 420, 310, 420, 310, 420}));
        x.d = numbers(6, nan);
        x.run(finish, {.alpha = 0.0, .reproducible = reproducible});
        EXPECT_EQ(x.d, (numbers{10, 20, 10, 20, 10, 20}));
        numbers empty;
        x.d = numbers(6, nan);
        contract("ij=ik*kj", view(empty, {2, 0}), view(empty, {0, 3}), view(x.d, {2, 3}),
                 {.reproducible = reproducible, .epilogue = &finish});
        EXPECT_EQ(x.d, (numbers{10, 20, 10, 20, 10, 20}));
    }
}

TEST(ContractionEpilogue, NothingIsReadForAnEmptyD) {
    contraction_epilogue finish;
    finish.add("i", tensor_view<double>(nullptr, {0})).add("j", tensor_view<double>(nullptr, {3}));
    numbers b(6);
    EXPECT_NO_THROW(contract("ij=ik*kj", tensor_view<double>(nullptr, {0, 2}), view(b, {2, 3}),
                             tensor_view<double>(nullptr, {0, 3}), {.epilogue = &finish}));
}

TEST(ContractionEpilogue, NoFactorIsSpecial) {
    small_product x;
    numbers bias{nan, 1};
    x.run(contraction_epilogue().add("i", view(bias, {2}), 0.0));
    EXPECT_TRUE(std::isnan(x.d[0]));
    EXPECT_EQ(x.d[1], 10);
    small_product y;
    y.a[0] = nan;
    y.run(contraction_epilogue().scale(0.0));
    EXPECT_TRUE(std::isnan(y.d[0]));
    EXPECT_EQ(y.d[1], 0);
}

TEST(ContractionEpilogue, OneInput) {
    numbers a{1, 2, 3, 4, 5, 6}, bias{10, 20, 30};
    contraction_epilogue finish;
    finish.add("j", view(bias, {3}));
    numbers moved(6), sums(3);
    contract("ji=ij", view(a, {2, 3}), view(moved, {3, 2}), {.epilogue = &finish});
    EXPECT_EQ(moved, (numbers{11, 23, 35, 12, 24, 36}));
    contract("j=ij", view(a, {2, 3}), view(sums, {3}), {.epilogue = &finish});
    EXPECT_EQ(sums, (numbers{13, 27, 41}));
}

TEST(ContractionEpilogue, TheLastOfManyContractionsAppliesIt) {
    numbers a{1, 2, 3, 4}, b{1, 0, 0, 1}, c{2, 0, 0, 2}, d(4), bias{1, 2};
    contraction_epilogue finish;
    finish.add("l", view(bias, {2})).scale(10.0);
    const std::array<input, 3> inputs{view(a, {2, 2}), view(b, {2, 2}), view(c, {2, 2})};
    contract("il=ij*jk*kl", inputs, view(d, {2, 2}), {.epilogue = &finish});
    EXPECT_EQ(d, (numbers{30, 50, 80, 100}));
    contract("il=ij*jk*kl", inputs, view(d, {2, 2}), {.alpha = 0.0, .epilogue = &finish});
    EXPECT_EQ(d, (numbers{10, 10, 20, 20}));
    const contraction_plan plan =
        make_plan("il=ij*jk*kl", inputs, view(d, {2, 2}), {.epilogue = &finish});
    EXPECT_NE(plan.explain().find("epilogue"), std::string::npos) << plan.explain();
    const std::array<const void *, 3> data{a.data(), b.data(), c.data()};
    EXPECT_EQ(plan.execute({.inputs = data, .d = d.data()}).code(), errc::invalid_argument);
    const std::array<const void *, 2> inside{d.data() + 1, nullptr};
    EXPECT_EQ(plan.execute({.inputs = data, .d = d.data(), .epilogue = inside}).message(),
              "epilogue step 1 shares elements with the output");
}

TEST(ContractionEpilogue, EveryNotationNamesItsLabels) {
    numbers bias{1, 2, 3};
    contraction_epilogue finish;
    finish.add("[vir]", view(bias, {3}));
    small_product x;
    contract("D[occ,vir]=A[occ,sum]*B[sum,vir]", view(x.a, {2, 2}), view(x.b, {2, 3}),
             view(x.d, {2, 3}), {.epilogue = &finish});
    const numbers expected{8, 11, 17, 24, 26, 37};
    EXPECT_EQ(x.d, expected);

    x.d = numbers(6, nan);
    const contraction_spec by_numbers = parse({.inputs = {{7, 4}, {4, 9}}});
    contraction_epilogue of_numbers;
    of_numbers.add("[9]", view(bias, {3}));
    contract(by_numbers, std::array<input, 2>{view(x.a, {2, 2}), view(x.b, {2, 3})},
             view(x.d, {2, 3}), {.epilogue = &of_numbers});
    EXPECT_EQ(x.d, expected);

    x.d = numbers(6, nan);
    numbers row{1, 2, 3};
    contraction_epilogue of_ellipsis; // "..." is D's j
    of_ellipsis.add("...", view(row, {3}));
    contract("ik,k...->i...", view(x.a, {2, 2}), view(x.b, {2, 3}), view(x.d, {2, 3}),
             {.epilogue = &of_ellipsis});
    EXPECT_EQ(x.d, expected);

    x.d = numbers(6, nan);
    numbers one{4};
    contraction_epilogue repeated; // in NumPy's notation extents of 1 are broadcast
    repeated.add("ij", view(one, {1, 1}));
    contract("ik,kj->ij", view(x.a, {2, 2}), view(x.b, {2, 3}), view(x.d, {2, 3}),
             {.epilogue = &repeated});
    EXPECT_EQ(x.d, (numbers{11, 14, 19, 26, 27, 38}));
    const std::array<input, 3> three{view(x.a, {2, 2}), view(x.b, {2, 3}), view(bias, {3})};
    contract("ik,kj,j->ij", three, view(x.d, {2, 3}), {.epilogue = &repeated});
    EXPECT_EQ(x.d, (numbers{11, 14, 34, 48, 73, 106}));
}

TEST(ContractionEpilogue, CallersFunctionsSeeEveryElementOnce) {
    const auto count = [](double *elements, index_t n, void *context) {
        for (index_t i = 0; i < n; ++i)
            elements[i] += *static_cast<const double *>(context);
    };
    double step = 0.5;
    contraction_epilogue finish;
    finish.call<double>(count, &step);
    small_product x;
    x.run(finish);
    EXPECT_EQ(x.d, (numbers{7.5, 10.5, 15.5, 22.5, 23.5, 34.5}));
    step = 1; // a plan that is known takes the context of the call
    x.run(finish);
    EXPECT_EQ(x.d, (numbers{8, 11, 16, 23, 24, 35}));
}

TEST(ContractionEpilogue, KeptPlansDifferByWhatTheyDo) {
    small_product x;
    numbers bias{1, 2}, other{5, 6};
    x.run(contraction_epilogue().add("i", view(bias, {2})));
    EXPECT_EQ(x.d[0], 8);
    x.run(contraction_epilogue().add("i", view(other, {2}))); // the same plan, other data
    EXPECT_EQ(x.d[0], 12);
    x.run(contraction_epilogue().multiply("i", view(other, {2})));
    EXPECT_EQ(x.d[0], 35);
    x.run(contraction_epilogue().add("i", view(other, {2}), 2.0));
    EXPECT_EQ(x.d[0], 17);
    x.run(contraction_epilogue());
    EXPECT_EQ(x.d[0], 7);
}

TEST(ContractionEpilogue, MistakesAreRefusedBeforeAnythingIsWritten) {
    small_product x;
    numbers bias(4);
    std::vector<float> single(2);
    const auto refused = [&](errc code, const contraction_epilogue &finish) {
        return refusal(code, [&] { x.run(finish); });
    };
    using finish = contraction_epilogue;
    EXPECT_EQ(refused(errc::extent_mismatch, finish().scale(1.0).add("ji", view(bias, {3, 1}))),
              "label 'i': D mode 0 has extent 2, epilogue step 2 mode 1 has extent 1");
    EXPECT_EQ(refused(errc::unknown_label, finish().add("k", view(bias, {2}))),
              "epilogue step 1: label 'k' does not stand in D");
    EXPECT_EQ(refused(errc::order_mismatch, finish().multiply("ij", view(bias, {2}))),
              "epilogue step 1 has 1 modes, but the expression gives it 2 labels");
    EXPECT_EQ(
        refused(errc::type_mismatch, finish().add("i", tensor_view<float>(single.data(), {2}))),
        "epilogue step 1 is of type f32, D has type f64");
    const auto of_type = [&]<class T>(errc code, const T &, const contraction_epilogue &steps) {
        const tensor<T> in({2});
        tensor<typename element_traits<T>::output> sum({2});
        return refusal(code, [&] { (void)make_plan("i=i*i", in, in, sum, {.epilogue = &steps}); });
    };
    EXPECT_EQ(of_type(errc::unsupported, std::int8_t(), finish().apply(elementwise::exp)),
              "epilogue step 1: exp is a function of real numbers, but D has type i32, to which "
              "relu and functions of the caller's can be applied");
    EXPECT_EQ(of_type(errc::type_mismatch, std::int8_t(), finish().scale(0.5)),
              "epilogue step 1: the factor is no integer of 32 bits, but D has type i32");
    EXPECT_EQ(of_type(errc::type_mismatch, std::int8_t(), finish().add("i", view(bias, {2}))),
              "epilogue step 1 is of type f64, D has type i32");
    EXPECT_EQ(refused(errc::type_mismatch, finish().scale(scalar(0, 1))),
              "epilogue step 1: the factor has an imaginary part, but D has type f64");
    EXPECT_EQ(refused(errc::null_pointer, finish().call<double>(nullptr)),
              "epilogue step 1: the function is null");
    EXPECT_EQ(refused(errc::null_pointer, finish().add("i", tensor_view<double>(nullptr, {2}))),
              "epilogue step 1 is null where its elements are needed");
    EXPECT_EQ(refused(errc::overlap,
                      finish().scale(1.0).add("i", tensor_view<double>(x.d.data() + 5, {2}, {-5}))),
              "epilogue step 2 shares elements with the output");
    EXPECT_EQ(refused(errc::overlap, finish().add("ij", view(x.d, {2, 3}))),
              "epilogue step 1 shares elements with the output");
    for (const double element : x.d)
        EXPECT_TRUE(std::isnan(element));

    EXPECT_NE(refusal(errc::syntax, [&] { finish().add("i=j", view(bias, {2})); }), "");
    finish full;
    for (int i = 0; i < finish::most_steps; ++i)
        full.scale(1.0);
    EXPECT_EQ(refusal(errc::invalid_argument, [&] { full.scale(1.0); }),
              "epilogue: more than 8 steps; apply the rest after the contraction");

    std::vector<c64> z(4), sum(4);
    const finish function = finish().apply(elementwise::relu);
    EXPECT_EQ(refusal(errc::unsupported,
                      [&] {
                          contract("ij=ik*kj", tensor_view<c64>(z.data(), {2, 2}),
                                   tensor_view<c64>(z.data(), {2, 2}),
                                   tensor_view<c64>(sum.data(), {2, 2}), {.epilogue = &function});
                      }),
              "epilogue step 1: functions are for real numbers, but D has type c64, which can be "
              "scaled, added to and multiplied");
}

TEST(ContractionEpilogue, TensorsBetweenTheElementsOfDDoNotOverlapIt) {
    small_product x;
    numbers both(12, 100); // D and a tensor of the epilogue, element by element
    const tensor_view<double> d(both.data(), {2, 3}, {2, 4});
    contraction_epilogue finish;
    finish.add("ij", tensor_view<double>(both.data() + 1, {2, 3}, {2, 4}));
    contract("ij=ik*kj", view(x.a, {2, 2}), view(x.b, {2, 3}), d, {.epilogue = &finish});
    EXPECT_EQ(both, (numbers{107, 100, 110, 100, 115, 100, 122, 100, 123, 100, 134, 100}));
}

} // namespace
} // namespace tenfold::testing
