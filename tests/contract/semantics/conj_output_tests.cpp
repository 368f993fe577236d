// Tests the row about conj_output of the section "The update" of docs/semantics.md.
#include "ways.hpp"

namespace tenfold::testing {
namespace {

template <class T> exact_t<T> conjugate(exact_t<T> value) {
    if constexpr (is_complex(data_type_of<T>))
        return std::conj(value);
    else
        return value;
}

/// A scalar with an imaginary part, if T has one.
template <class T> exact_t<T> factor(double re, double im) {
    if constexpr (is_complex(data_type_of<T>))
        return {re, im};
    else
        return re;
}

template <class T> struct conjugated_matrices {
    test_tensor<T> a{extents_t{23, 19}}, b{extents_t{19, 21}}, c{extents_t{23, 21}},
        d{extents_t{23, 21}, extents_t{21, 1}};

    conjugated_matrices() {
        a.fill(1);
        b.fill(2);
        c.fill(3);
        d.fill(3); // as C: values depend on the position
    }
    exact_t<T> product(index_t i, index_t j, bool conjugates_a) const {
        return sum(19, [&](index_t k) {
            return (conjugates_a ? conjugate<T>(a(i, k)) : a(i, k)) * b(k, j);
        });
    }
};

TEST(Semantics, ConjugatedOutput) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &given) {
            const exact_t<T> alpha = factor<T>(2, -1), beta = factor<T>(-1, 3);
            contract_options options = scaled(given, scalar(alpha), scalar(beta));
            options.conj_output = true;
            conjugated_matrices<T> separate, in_place, with_conj;
            separate.d.poison();
            contract("ab=ak*kb", separate.a, separate.b, separate.c, separate.d, options);
            expect_equal(separate.d, [&](index_t i, index_t j) {
                return conjugate<T>(alpha * separate.product(i, j, false) +
                                    beta * separate.c(i, j));
            });
            contract("ab=ak*kb", in_place.a, in_place.b, in_place.d, options);
            expect_equal(in_place.d, [&](index_t i, index_t j) {
                return conjugate<T>(alpha * in_place.product(i, j, false) +
                                    beta * in_place.c(i, j));
            });
            contract("ab=ak*kb", conj(with_conj.a.in()), with_conj.b, conj(with_conj.c.in()),
                     with_conj.d, options);
            expect_equal(with_conj.d, [&](index_t i, index_t j) {
                return conjugate<T>(alpha * with_conj.product(i, j, true) +
                                    beta * conjugate<T>(with_conj.c(i, j)));
            });
        });

        // The expression's factor and operation; one input, and three; a plan.
        conjugated_matrices<T> x, y, z;
        contract("ab+=2*ak*kb", x.a, x.b, x.d, {.conj_output = true});
        expect_equal(x.d, [&](index_t i, index_t j) {
            return conjugate<T>(2.0 * x.product(i, j, false) + x.c(i, j));
        });
        test_tensor<T> turned({21, 23}), three({23, 21});
        turned.poison();
        contract("ba=ab", y.c, turned, {.alpha = scalar(factor<T>(1, 1)), .conj_output = true});
        expect_equal(turned, [&](index_t j, index_t i) {
            return conjugate<T>(factor<T>(1, 1) * y.c(i, j));
        });
        test_tensor<T> e({21, 21});
        e.fill(4);
        three.fill(5);
        const exact_t<T> alpha = factor<T>(1, 2);
        const contraction_plan plan =
            make_plan("ac=ak*kb*bc", {y.a, y.b, e}, three, {.conj_output = true});
        test_tensor<T> before({23, 21});
        before.fill(5);
        const std::array<const void *, 3> inputs{y.a.data(), y.b.data(), e.data()};
        plan.execute(scalar(alpha), inputs, scalar(alpha), three.data(), three.data())
            .throw_if_failed();
        expect_equal(three, [&](index_t i, index_t j) {
            return conjugate<T>(
                alpha * sum(21, [&](index_t b) { return y.product(i, b, false) * e(b, j); }) +
                alpha * before(i, j));
        });
        // alpha = 0 and beta = 0 are as elsewhere.
        contract("ab=ak*kb", z.a, z.b, z.d,
                 {.alpha = 0.0, .beta = scalar(factor<T>(0, 1)), .conj_output = true});
        expect_equal(
            z.d, [&](index_t i, index_t j) { return conjugate<T>(factor<T>(0, 1) * z.c(i, j)); });
        z.d.poison();
        contract("ab=ak*kb", z.a, z.b, z.d, {.conj_output = true});
        expect_equal(z.d,
                     [&](index_t i, index_t j) { return conjugate<T>(z.product(i, j, false)); });
    });

    test_tensor<c64> a({4, 3}), b({3, 5}), d({4, 5});
    const contraction_plan plan =
        make_plan("ab=ak*kb", a.in(), b.in(), d.out(), {.conj_output = true});
    EXPECT_NE(plan.explain().find("D is the conjugate"), std::string::npos);
}

} // namespace
} // namespace tenfold::testing
