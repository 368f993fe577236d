// Tests the section "Labels" of docs/semantics.md: what is computed.
#include "ways.hpp"

namespace tenfold::testing {
namespace {

TEST(Semantics, FreeLabels) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> a({37, 5}), b({29}), d({5, 29, 37});
            a.fill(1);
            b.fill(2);
            d.poison();
            contract("cba=ac*b", a, b, d, options);
            expect_equal(d, [&](index_t k, index_t j, index_t i) { return a(i, k) * b(j); });
        });
    });
}

TEST(Semantics, ContractedLabels) {
    every_type([]<class T>(tag<T>) {
        const auto general = every_way([](const contract_options &options) {
            constexpr index_t na = 7, nb = 5, nc = 6, nd = 8, ne = 9, nf = 4;
            test_tensor<T> a({na, ne, nb, nf}), b({nd, nf, nc, ne}), d({na, nb, nc, nd});
            a.fill(1);
            b.fill(2);
            d.poison();
            contract("abcd=aebf*dfce", a, b, d, options);
            expect_equal(d, [&](index_t i, index_t j, index_t k, index_t l) {
                return sum(ne, [&](index_t e) {
                    return sum(nf, [&](index_t f) { return a(i, e, j, f) * b(l, f, k, e); });
                });
            });
        });
        every_way([](const contract_options &options) { // without free labels
            test_tensor<T> a({19, 23}), b({23, 19});
            test_tensor<T> d(extents_t{});
            a.fill(1);
            b.fill(2);
            d.poison();
            contract("=ab*ba", a, b, d, options);
            expect_equal(d, [&] {
                return sum(19, [&](index_t i) {
                    return sum(23, [&](index_t j) { return a(i, j) * b(j, i); });
                });
            });
        });
        const auto product =
            every_way([](const contract_options &options) { // a matrix and a vector
                test_tensor<T> a({83, 41}), b({41}), d({83});
                a.fill(1);
                b.fill(2);
                d.poison();
                contract("a=ak*k", a, b, d, options);
                expect_equal(d, [&](index_t i) {
                    return sum(41, [&](index_t k) { return a(i, k) * b(k); });
                });
            });
        // Checks that not only the reference ran.
        using enum algorithm;
        for (const algorithm one : {gemm_loop, ttgt, loops})
            EXPECT_TRUE(general.contains(one)) << name(one);
        EXPECT_TRUE(product.contains(direct));
    });
}

TEST(Semantics, BatchLabels) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> a({11, 3, 13, 4}), b({4, 17, 13, 3}), d({17, 4, 11, 3});
            a.fill(1);
            b.fill(2);
            d.poison();
            contract("bman=ankm*mbkn", a, b, d, options); // m and n are batch
            expect_equal(d, [&](index_t j, index_t m, index_t i, index_t n) {
                return sum(13, [&](index_t k) { return a(i, n, k, m) * b(m, j, k, n); });
            });
        });
        every_way([](const contract_options &options) { // element-wise
            test_tensor<T> a({67, 31}), b({31, 67}), d({67, 31});
            a.fill(1);
            b.fill(2);
            d.poison();
            contract("ab=ab*ba", a, b, d, options);
            expect_equal(d, [&](index_t i, index_t j) { return a(i, j) * b(j, i); });
        });
        every_way([](const contract_options &options) { // rows are scaled
            test_tensor<T> a({67, 31}), b({31}), d({67, 31});
            a.fill(1);
            b.fill(2);
            d.poison();
            contract("ab=ab*b", a, b, d, options);
            expect_equal(d, [&](index_t i, index_t j) { return a(i, j) * b(j); });
        });
    });
}

TEST(Semantics, IsolatedLabels) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> a({13, 3, 11}), b({11, 17, 5}), d({17, 13});
            a.fill(1);
            b.fill(2);
            d.poison();
            contract("ba=axk*kby", a, b, d, options);
            expect_equal(d, [&](index_t j, index_t i) {
                return sum(11, [&](index_t k) {
                    return sum(3, [&](index_t x) { return a(i, x, k); }) *
                           sum(5, [&](index_t y) { return b(k, j, y); });
                });
            });
        });
        every_way([](const contract_options &options) { // nothing is contracted
            test_tensor<T> a({13, 7}), b({9}), d({13});
            a.fill(1);
            b.fill(2);
            d.poison();
            contract("a=ax*y", a, b, d, options);
            expect_equal(d, [&](index_t i) {
                return sum(7, [&](index_t x) { return a(i, x); }) *
                       sum(9, [&](index_t y) { return b(y); });
            });
        });
    });
}

TEST(Semantics, RepeatedInputLabelIsTheDiagonal) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> a({23, 23}), d({23}), trace(extents_t{});
            a.fill(1);
            d.poison();
            trace.poison();
            contract("a=aa", a, d, options);
            expect_equal(d, [&](index_t i) { return a(i, i); });
            contract("=aa", a, trace, options);
            expect_equal(trace, [&] { return sum(23, [&](index_t i) { return a(i, i); }); });
        });
        every_way([](const contract_options &options) { // free and contracted
            test_tensor<T> a({7, 5, 7, 5}), b({5, 9, 5, 9}), d({9, 7});
            a.fill(1);
            b.fill(2);
            d.poison();
            contract("ba=akak*kbkb", a, b, d, options);
            expect_equal(d, [&](index_t j, index_t i) {
                return sum(5, [&](index_t k) { return a(i, k, i, k) * b(k, j, k, j); });
            });
        });
        every_way([](const contract_options &options) { // batch and isolated
            test_tensor<T> a({6, 11, 6}), b({6, 4, 4}), d({11, 6});
            a.fill(1);
            b.fill(2);
            d.poison();
            contract("an=nan*nyy", a, b, d, options);
            expect_equal(d, [&](index_t i, index_t n) {
                return a(n, i, n) * sum(4, [&](index_t y) { return b(n, y, y); });
            });
        });
    });
}

TEST(Semantics, RepeatedOutputLabelWritesTheDiagonal) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> a({13, 11}), b({11, 7}), c({13, 7, 13}), before({13, 7, 13});
            a.fill(1);
            b.fill(2);
            c.poison();
            for (index_t i = 0; i < 13; ++i)
                for (index_t j = 0; j < 7; ++j)
                    c.element(i, j, i) = rounded<T>(integer_at({i, j}, 4));
            before.fill(3);
            const auto product = [&](index_t i, index_t j) {
                return sum(11, [&](index_t k) { return a(i, k) * b(k, j); });
            };
            // beta = 0; beta for D in place; beta for a C that has only a diagonal.
            for (const int kind : {0, 1, 2}) {
                SCOPED_TRACE(kind);
                test_tensor<T> d({13, 7, 13});
                d.fill(3);
                contract_options diagonal = scaled(options, 2.0, kind == 0 ? 0.0 : 3.0);
                diagonal.diagonal_output = true;
                if (kind == 2)
                    contract("aba=ak*kb", a, b, c, d, diagonal);
                else
                    contract("aba=ak*kb", a, b, d, diagonal);
                expect_equal(d, [&](index_t i, index_t j, index_t l) -> exact_t<T> {
                    if (i != l)
                        return before(i, j, l);
                    const exact_t<T> old = kind == 0   ? exact_t<T>(0)
                                           : kind == 1 ? before(i, j, i)
                                                       : c(i, j, i);
                    return 2.0 * product(i, j) + 3.0 * old;
                });
            }
            // Only scales the diagonal.
            test_tensor<T> d({13, 7, 13});
            d.fill(3);
            contract_options diagonal = scaled(options, 0.0, 3.0);
            diagonal.diagonal_output = true;
            contract("aba=ak*kb", a, b, d, diagonal);
            expect_equal(d, [&](index_t i, index_t j, index_t l) {
                return (i == l ? 3.0 : 1.0) * before(i, j, l);
            });
        });
    });
}

TEST(Semantics, OneInput) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> a({19, 6, 13}), d({13, 19, 6}), before({13, 19, 6});
            a.fill(1);
            before.fill(2);
            d.poison();
            contract("cab=abc", a, d, options);
            expect_equal(d, [&](index_t k, index_t i, index_t j) { return a(i, j, k); });
            d.fill(2);
            contract("cab=abc", a, d, scaled(options, -2.0, 3.0));
            expect_equal(d, [&](index_t k, index_t i, index_t j) {
                return -2.0 * a(i, j, k) + 3.0 * before(k, i, j);
            });
        });
        every_way([](const contract_options &options) { // sums
            test_tensor<T> a({19, 6, 13}), d({13}), all(extents_t{});
            a.fill(1);
            d.poison();
            all.poison();
            contract("c=abc", a, d, options);
            expect_equal(d, [&](index_t k) {
                return sum(
                    19, [&](index_t i) { return sum(6, [&](index_t j) { return a(i, j, k); }); });
            });
            contract("=abc", a, all, options);
            expect_equal(all, [&] { return sum(13, [&](index_t k) { return d(k); }); });
        });
        every_way([](const contract_options &options) { // a sum, a diagonal and a trace at once
            test_tensor<T> a({5, 7, 5, 3, 7}), d({5}), before({5});
            a.fill(1);
            d.fill(2);
            before.fill(2);
            contract("a=axayx", a, d, scaled(options, 2.0, -1.0));
            expect_equal(d, [&](index_t i) {
                return 2.0 * sum(7,
                                 [&](index_t x) {
                                     return sum(3, [&](index_t y) { return a(i, x, i, y, x); });
                                 }) -
                       before(i);
            });
        });
    });
}

} // namespace
} // namespace tenfold::testing
