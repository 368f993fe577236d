// Tests the section "Broadcasting" of docs/semantics.md.
#include "ways.hpp"

namespace tenfold::testing {
namespace {

contract_options broadcasting(contract_options options) {
    options.broadcast = true;
    return options;
}

TEST(Semantics, BroadcastInNumpysNotation) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> a({5, 1, 7}), b({1, 6, 7}), d({5, 6});
            a.fill(1);
            b.fill(2);
            d.poison();
            const auto product = [&](index_t i, index_t j) {
                return sum(7, [&](index_t k) { return a(i, 0, k) * b(0, j, k); });
            };
            contract("ijk,ijk->ij", a, b, d, options);
            expect_equal(d, product);
            d.poison();
            contract("...k,...k", a, b, d, options); // the modes of an ellipsis, too
            expect_equal(d, product);
            d.poison();
            contract(parse({.inputs = {{4, 2, 9}, {4, 2, 9}}, .output = {{4, 2}}}),
                     std::array{a.in(), b.in()}, d, options);
            expect_equal(d, product);
        });
    });
}

TEST(Semantics, BroadcastIsAnOption) {
    test_tensor<double> a({5, 1}), b({5, 6}), d({5, 6});
    a.fill(1);
    b.fill(2);
    d.fill(3);
    for (const char *expression : {"ij=ij*ij", "ij-ij-ij", "D[i,j]=A[i,j]*B[i,j]"}) {
        expect_refused(errc::extent_mismatch,
                       "label 'j': A mode 1 has extent 1, B mode 1 has extent 6", d,
                       [&] { contract(expression, a, b, d); });
        d.poison();
        contract(expression, a, b, d, {.broadcast = true});
        expect_equal(d, [&](index_t i, index_t j) { return a(i, 0) * b(i, j); });
        d.fill(3);
    }
}

TEST(Semantics, BroadcastInputs) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &given) {
            const contract_options options = broadcasting(given);
            { // one input in all of its modes, whatever its strides
                test_tensor<T> a(extents_t{1, 1}, extents_t{-3, 5}), b({6, 4}), d({4, 6});
                a.fill(1);
                b.fill(2);
                d.poison();
                contract("ji=ij*ij", a, b, d, options);
                expect_equal(d, [&](index_t j, index_t i) { return a(0, 0) * b(i, j); });
            }
            { // a contracted, a batch and a free label; three inputs; a repeated label
                test_tensor<T> a({1, 7, 1}), b({3, 7, 5}), c({3, 1, 1}), d({3, 5});
                a.fill(1);
                b.fill(2);
                c.fill(3);
                d.poison();
                contract("xkj,xkj,xkk->xj", {a.in(), b.in(), c.in()}, d, given);
                expect_equal(d, [&](index_t x, index_t j) {
                    return c(x, 0, 0) * sum(7, [&](index_t k) { return a(0, k, 0) * b(x, k, j); });
                });
            }
            { // both ways at once
                test_tensor<T> a({4, 1}), b({1, 3}), d({4, 3});
                a.fill(1);
                b.fill(2);
                d.poison();
                contract("ij=ij*ij", a, b, d, options);
                expect_equal(d, [&](index_t i, index_t j) { return a(i, 0) * b(0, j); });
            }
            { // extent 0 is an extent like others
                test_tensor<T> a({1, 4}), d({4}), empty({0, 4});
                a.fill(1);
                d.poison();
                contract("i=xi*xi", a, empty, d, options);
                expect_equal(d, [](index_t) { return exact_t<T>(0); });
            }
        });
    });
}

TEST(Semantics, BroadcastLabelsAreSummed) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> a({1, 2}), b({3, 1}), d(extents_t{});
            a.fill(1);
            b.fill(2);
            d.poison();
            contract("ij,ij->", a, b, d, options);
            expect_equal(d, [&] {
                return sum(3, [&](index_t i) {
                    return sum(2, [&](index_t j) { return a(0, j) * b(i, 0); });
                });
            });
        });
    });
}

TEST(Semantics, BroadcastToTheOutput) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> a({1, 3}), b({1, 1}), d({4, 3});
            a.fill(1);
            b.fill(2);
            d.poison();
            contract("ij,ij->ij", a, b, d, options);
            expect_equal(d, [&](index_t, index_t j) { return a(0, j) * b(0, 0); });
            d.poison();
            contract("ij=ij", a, d, broadcasting(options));
            expect_equal(d, [&](index_t, index_t j) { return a(0, j); });
        });
    });
    test_tensor<double> a({4, 3}), b({1, 3}), d({1, 3});
    a.fill(1);
    b.fill(2);
    d.fill(3);
    expect_refused(errc::extent_mismatch, "label 'i': A mode 0 has extent 4, D mode 0 has extent 1",
                   d, [&] { contract("ij,ij->ij", a, b, d); });
}

TEST(Semantics, BroadcastC) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> a({4, 7}), b({7, 3}), c({4, 1}), d({4, 3});
            a.fill(1);
            b.fill(2);
            c.fill(3);
            const auto product = [&](index_t i, index_t j) {
                return sum(7, [&](index_t k) { return a(i, k) * b(k, j); });
            };
            d.poison();
            contract("ik,kj->ij", a, b, c, d, scaled(options, 2.0, 3.0));
            expect_equal(d,
                         [&](index_t i, index_t j) { return 2.0 * product(i, j) + 3.0 * c(i, 0); });
            d.poison();
            contract("ij+=ik*kj", a, b, conj(c.in()), d, broadcasting(options));
            expect_equal(d, [&](index_t i, index_t j) {
                if constexpr (is_complex(data_type_of<T>))
                    return product(i, j) + std::conj(c(i, 0));
                else
                    return product(i, j) + c(i, 0);
            });
            d.poison(); // alpha = 0: D = beta C
            contract("ik,kj->ij", a, b, c, d, scaled(options, 0.0, 2.0));
            expect_equal(d, [&](index_t i, index_t) { return 2.0 * c(i, 0); });
        });
    });
}

TEST(Semantics, BroadcastNotWithinOneTensor) {
    test_tensor<double> a({1, 3}), d({3}), square({3, 1});
    a.fill(1);
    d.fill(2);
    square.fill(3);
    expect_refused(errc::extent_mismatch, "label 'i': A mode 0 has extent 1, A mode 1 has extent 3",
                   d, [&] { contract("ii->i", a, d); });
    expect_refused(
        errc::extent_mismatch, "label 'i': D mode 0 has extent 3, D mode 1 has extent 1", square,
        [&] { contract("ii=i", d, square, {.diagonal_output = true, .broadcast = true}); });
}

TEST(Semantics, BroadcastMismatchIsRefused) {
    test_tensor<double> one({1}), three({3}), four({4}), d({3}), d4({4});
    for (test_tensor<double> *tensor : {&one, &three, &four, &d, &d4})
        tensor->fill(1);
    expect_refused(errc::extent_mismatch,
                   "label 'i': input 2 mode 0 has extent 3, input 3 mode 0 has extent 4", d, [&] {
                       contract("i,i,i->i", {one.in(), three.in(), four.in()}, d);
                   });
    expect_refused(errc::extent_mismatch,
                   "label '...0': B mode 0 has extent 3, D mode 0 has extent 4", d4,
                   [&] { contract("...,...->...", one, three, d4); });
    expect_refused(errc::extent_mismatch, "label 'i': A mode 0 has extent 3, C mode 0 has extent 4",
                   d, [&] { contract("i,i->i", three, one, four, d, {.beta = 1.0}); });
    expect_refused(errc::extent_mismatch,
                   "label 'x': 'A' mode 0 has extent 3, 'E' mode 0 has extent 4", d, [&] {
                       contract("D[x]=A[x]*B[x]*E[x]", {three.in(), one.in(), four.in()}, d,
                                {.broadcast = true});
                   });
    expect_refused(errc::order_mismatch, "C has 0 modes, but the expression gives it 1 labels", d,
                   [&] {
                       test_tensor<double> scalar(extents_t{});
                       scalar.fill(2);
                       contract("i,i->i", three, one, scalar, d, {.beta = 1.0});
                   });
}

} // namespace
} // namespace tenfold::testing
