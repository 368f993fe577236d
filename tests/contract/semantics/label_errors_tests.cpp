// Tests the section "Labels" of docs/semantics.md: what is refused.
#include "ways.hpp"

namespace tenfold::testing {
namespace {

TEST(Semantics, RepeatedOutputLabelIsRefused) {
    test_tensor<double> a({3, 4}), d({3, 4, 3}), diagonal({3, 3});
    a.fill(1);
    d.fill(2);
    diagonal.fill(2);
    expect_refused(errc::repeated_label,
                   "label 'a' stands more than once in the output; set diagonal_output to write "
                   "the diagonal only",
                   d, [&] { contract("aba=ab", a, d); });
    expect_refused(errc::repeated_label,
                   "label 'row' stands more than once in the output; set diagonal_output to write "
                   "the diagonal only",
                   diagonal, [&] { contract("D[row,row]=A[row,k]*B[row,k]", a, a, diagonal); });
}

TEST(Semantics, OutputLabelWithoutInputIsRefused) {
    test_tensor<double> a({3, 4}), d({3, 4, 1});
    a.fill(1);
    d.fill(2);
    expect_refused(errc::unknown_label, "label 'c' of the output is in no input\n  abc=ab\n    ^",
                   d, [&] { contract("abc=ab", a, d); });

    contraction_spec spec = parse("ab=ab");
    spec.output.push_back(2);
    spec.label_names.emplace_back("far");
    const std::array inputs{a.in()};
    expect_refused(errc::unknown_label, "label 'far' stands in the output but in no input", d,
                   [&] { (void)make_plan(spec, inputs, d, d); });
}

TEST(Semantics, ExtentMismatchIsRefused) {
    test_tensor<double> a({10, 24, 5}), b({7, 5, 20}), d({10, 7});
    a.fill(1);
    b.fill(2);
    d.fill(3);
    expect_refused(errc::extent_mismatch,
                   "label 'e': A mode 1 has extent 24, B mode 2 has extent 20", d,
                   [&] { contract("ab=aek*bke", a, b, d); });
    expect_refused(errc::extent_mismatch,
                   "label 'x': A mode 0 has extent 10, A mode 2 has extent 5", d,
                   [&] { contract("ab=xax*bxk", a, b, d); });
    test_tensor<double> row({24}), one({1});
    row.fill(4);
    one.fill(5);
    expect_refused(errc::extent_mismatch,
                   "label 'a': A mode 0 has extent 24, D mode 0 has extent 10", d,
                   [&] { contract("ab=a*b", row, one, d); });
    expect_refused(errc::extent_mismatch,
                   "label 'b': B mode 0 has extent 24, D mode 1 has extent 7", d, [&] {
                       test_tensor<double> ten({10});
                       contract("ab=a*b", ten, row, d);
                   });
    // The message names C, not D.
    test_tensor<double> c({7, 10}), square({10, 10});
    c.fill(6);
    square.fill(7);
    expect_refused(errc::extent_mismatch,
                   "label 'a': A mode 0 has extent 10, C mode 0 has extent 7", d, [&] {
                       test_tensor<double> shape({10, 7});
                       contract("ab=ab", shape, d);
                       contract("ab=ak*kb", square, shape, c, d);
                   });
}

TEST(Semantics, OrderMismatchIsRefused) {
    test_tensor<double> a({3, 4}), b({4, 5}), d({3, 5}), vector({3});
    a.fill(1);
    b.fill(2);
    d.fill(3);
    expect_refused(errc::order_mismatch, "A has 2 modes, but 'akx' names 3\n  ab=akx*kb\n     ^", d,
                   [&] { contract("ab=akx*kb", a, b, d); });
    expect_refused(errc::order_mismatch, "B has 2 modes, but 'k' names 1\n  ab=ak*k\n        ^", d,
                   [&] { contract("ab=ak*k", a, b, d); });
    expect_refused(errc::order_mismatch, "D has 2 modes, but the expression gives it 1 labels", d,
                   [&] { contract("a=ak*kb", a, b, d); });
    expect_refused(errc::order_mismatch, "C has 1 modes, but the expression gives it 2 labels", d,
                   [&] { contract("ab=ak*kb", a, b, vector, d); });
}

TEST(Semantics, WrongNumberOfTensorsIsRefused) {
    test_tensor<double> a({3, 3}), d({3, 3});
    a.fill(1);
    d.fill(2);
    expect_refused(
        errc::order_mismatch,
        "the expression has 3 inputs, but 2 tensors were given\n  ad=ab*bc*cd\n           ^", d,
        [&] { contract("ad=ab*bc*cd", a, a, d); });
    expect_refused(errc::order_mismatch,
                   "the expression has 1 input, but 2 tensors were given\n  ab=ab\n     ^", d,
                   [&] { contract("ab=ab", a, a, d); });
    expect_refused(errc::order_mismatch,
                   "the expression has 2 inputs, but 3 tensors were given\n  ab=ac*cb\n        ^",
                   d, [&] {
                       contract("ab=ac*cb", {a.in(), a.in(), a.in()}, d);
                   });
    const contraction_spec spec = parse("ad=ab*bc*cd");
    const std::array inputs{a.in(), a.in()};
    expect_refused(errc::invalid_argument, "the expression has 3 inputs, but 2 tensors were given",
                   d, [&] { (void)make_plan(spec, inputs, d, d); });
}

TEST(Semantics, OneNameIsOneTensor) {
    test_tensor<double> t({3, 3}), g({3, 3}), d({3, 3}), wide({3, 4}), rows({3, 3}, {3, 1});
    test_tensor<float> single({3, 3});
    for (test_tensor<double> *const one : {&t, &g, &d, &wide, &rows})
        one->fill(1);
    single.fill(1);
    const std::string square = "R[a,b]=T[a,c]*T[c,b]", cube = "R[a,b]=T[a,c]*G[c,d]*T[d,b]";
    const auto refusal = [](const std::string &text, const char *first, const char *second,
                            const std::string &name, const std::string &how) {
        return "'" + text + "' calls both " + first + " and " + second + " '" + name +
               "', but they are two tensors: " + how +
               "; give them two names, or pass one tensor twice";
    };
    const std::string apart = "they lie in two places";
    // The second round finds plans of the first.
    for (int round = 0; round < 2; ++round) {
        expect_refused(errc::invalid_argument, refusal(square, "A", "B", "T", apart), d,
                       [&] { contract(square, t, g, d); });
        expect_refused(errc::invalid_argument, refusal(cube, "input 1", "input 3", "T", apart), d,
                       [&] {
                           contract(cube, {t, g, g}, d);
                       });
        expect_refused(errc::invalid_argument, refusal("T[a,b]=T[b,a]", "A", "D", "T", apart), d,
                       [&] { contract("T[a,b]=T[b,a]", t, d); });
        contract(square, t, t, d);
        EXPECT_EQ(d(1, 2), t(1, 0) * t(0, 2) + t(1, 1) * t(1, 2) + t(1, 2) * t(2, 2));
        contract(cube, {t, g, t}, d);
    }
    expect_refused(errc::invalid_argument,
                   refusal(square, "A", "B", "T", "one is f64, the other f32"), d,
                   [&] { contract(square, t, single, d); });
    expect_refused(
        errc::invalid_argument,
        refusal(square, "A", "B", "T",
                "one has " + t.shape().describe() + ", the other " + wide.shape().describe()),
        d, [&] { contract(square, t, wide, d); });
    expect_refused(
        errc::invalid_argument,
        refusal(square, "A", "B", "T",
                "one has " + t.shape().describe() + ", the other " + rows.shape().describe()),
        d, [&] { (void)make_plan(square, t, rows, d); });
    // Specs with and without such names share no plan.
    contraction_spec spec = parse(square);
    const std::array<input, 2> both{t.in(), g.in()};
    expect_refused(errc::invalid_argument, refusal(square, "A", "B", "T", apart), d,
                   [&] { contract(spec, both, d); });
    spec.operand_names = {"T", "G", "R"};
    contract(spec, both, d);
    spec.operand_names = {"T", "T", "R"};
    expect_refused(errc::invalid_argument, refusal(square, "A", "B", "T", apart), d,
                   [&] { contract(spec, both, d); });
    // Plans of one and of many products, and batches of them, know where tensors lie when they run.
    const auto told = [&](const status &done, char operand) {
        EXPECT_EQ(done.code(), errc::invalid_argument);
        EXPECT_EQ(done.operand(), operand);
        EXPECT_NE(done.message().find("is another tensor than"), std::string::npos);
        EXPECT_TRUE(d.unchanged());
    };
    const contraction_plan plan = make_plan(square, t, t, d);
    static_cast<void>(d.out());
    told(plan.execute(1.0, t.data(), g.data(), 0.0, d.data(), d.data()), 'B');
    EXPECT_TRUE(plan.execute(1.0, t.data(), t.data(), 0.0, d.data(), d.data()).ok());
    EXPECT_TRUE(plan.execute(0.0, t.data(), g.data(), 1.0, d.data(), d.data()).ok());
    const contraction_plan of_many = make_plan(cube, {t, g, t}, d);
    static_cast<void>(d.out());
    const std::array<const void *, 3> wrong{t.data(), g.data(), g.data()};
    told(of_many.execute(1.0, wrong, 0.0, d.data(), d.data()), 3);
    const std::array<const void *, 2> firsts{t.data(), g.data()}, seconds{t.data(), t.data()};
    std::array<double, 9> other{};
    const std::array<void *, 2> outputs{d.data(), other.data()};
    const std::array inputs{input_batch::at_addresses(firsts), input_batch::at_addresses(seconds)};
    index_t failed = -1;
    told(plan.execute_batch(
             {.count = 2, .inputs = inputs, .d = output_batch::at_addresses(outputs)}, {}, &failed),
         'B');
    EXPECT_EQ(failed, 1);
    // A conjugate is the same tensor.
    test_tensor<c64> z({2, 2}), norm(extents_t{});
    z.fill(2);
    contract("n[]=Z[a,b]*Z[a,b]", conj(z.in()), z, norm);
    EXPECT_EQ(norm.at({}).imag(), 0);
    EXPECT_GT(norm.at({}).real(), 0);
}

} // namespace
} // namespace tenfold::testing
