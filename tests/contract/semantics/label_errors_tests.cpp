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

} // namespace
} // namespace tenfold::testing
