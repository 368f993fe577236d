// Tests the section "The update" of docs/semantics.md.
#include "ways.hpp"

namespace tenfold::testing {
namespace {

/// Tensors for "ab=ak*kb" of 37x31x29; d has the values of c.
template <class T> struct matrices {
    test_tensor<T> a{extents_t{37, 29}}, b{extents_t{29, 31}}, c{extents_t{37, 31}},
        d{extents_t{37, 31}};

    matrices() {
        a.fill(1);
        b.fill(2);
        c.fill(3);
        d.fill(3);
    }
    exact_t<T> product(index_t i, index_t j) const {
        return sum(29, [&](index_t k) { return a(i, k) * b(k, j); });
    }
    void expect(exact_t<T> alpha, exact_t<T> beta) const {
        expect_equal(d, [&](index_t i, index_t j) {
            return (alpha == 0.0 ? 0.0 : alpha * product(i, j)) + beta * c(i, j);
        });
    }
};

TEST(Semantics, AssignmentOverwrites) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            matrices<T> x;
            contract("ab=ak*kb", x.a, x.b, x.d, options);
            x.expect(1, 0);
            matrices<T> y;
            contract("ab=ak*kb", y.a, y.b, y.d, scaled(options, -3.0, 2.0));
            y.expect(-3, 2);
        });
    });
}

TEST(Semantics, UpdatesAddAndSubtract) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            contract_options tripled = options;
            tripled.alpha = 3.0;
            matrices<T> x, y, z;
            contract("ab+=ak*kb", x.a, x.b, x.d, options);
            x.expect(1, 1);
            contract("ab-=ak*kb", y.a, y.b, y.d, tripled);
            y.expect(-3, 1);
            test_tensor<T> d({37, 31}); // also with C elsewhere
            d.poison();
            contract("ab-=ak*kb", z.a, z.b, z.c, d, tripled);
            expect_equal(d,
                         [&](index_t i, index_t j) { return z.c(i, j) - 3.0 * z.product(i, j); });
        });
    });
}

TEST(Semantics, UpdateWithBetaIsRefused) {
    matrices<double> x;
    expect_refused(errc::invalid_argument,
                   "'ab+=ak*kb' sets beta to 1 by its '+='; do not give beta as well", x.d,
                   [&] { contract("ab+=ak*kb", x.a, x.b, x.d, {.beta = 1.0}); });
    expect_refused(errc::invalid_argument,
                   "'ab-=ak*kb' sets beta to 1 by its '-='; do not give beta as well", x.d,
                   [&] { contract("ab-=ak*kb", x.a, x.b, x.c, x.d, {.beta = 0.0}); });
    expect_refused(errc::invalid_argument,
                   "'ab+=ab' sets beta to 1 by its '+='; do not give beta as well", x.d,
                   [&] { contract("ab+=ab", x.c, x.d, {.beta = 2.0}); });
}

TEST(Semantics, PlansTakeNoUpdate) {
    matrices<double> x;
    const std::string add = "'ab+=ak*kb' sets beta to 1 by its '+=', but a plan takes beta from "
                            "execute(): write '=', and give beta = 1 there";
    expect_refused(errc::invalid_argument, add, x.d,
                   [&] { (void)make_plan("ab+=ak*kb", x.a, x.b, x.d); });
    expect_refused(errc::invalid_argument, add, x.d,
                   [&] { (void)make_plan("ab+=ak*kb", x.a, x.b, x.c, x.d); });
    expect_refused(errc::invalid_argument,
                   "'ab-=ak*kl*lb' sets beta to 1 by its '-=', but a plan takes beta from "
                   "execute(): write '=', and give beta = 1 there, with alpha negated",
                   x.d, [&] {
                       test_tensor<double> between({29, 29});
                       (void)make_plan("ab-=ak*kl*lb", {x.a.in(), between.in(), x.b.in()}, x.d);
                   });
    // A spec that adds is refused as well, with and without its text.
    const std::array<input, 2> inputs{x.a, x.b};
    contraction_spec spec = parse("ab+=ak*kb");
    expect_refused(errc::invalid_argument, add, x.d,
                   [&] { (void)make_plan(spec, inputs, x.d, x.d); });
    spec.text.clear();
    expect_refused(errc::invalid_argument, add, x.d,
                   [&] { (void)make_plan(spec, inputs, x.d, x.d); });
    for (const contract_options &options : {contract_options{.alpha = 2.0}, {.beta = 0.0}})
        expect_refused(errc::invalid_argument,
                       "make_plan() takes no alpha and beta: give them to execute()", x.d,
                       [&] { (void)make_plan(parse("ab=ak*kb"), inputs, x.d, x.d, options); });
}

TEST(Semantics, LeadingScalarMultipliesAlpha) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            matrices<T> x, y, z;
            contract("ab=-0.5*ak*kb", x.a, x.b, x.d, options);
            x.expect(-0.5, 0);
            contract("ab=-0.5*ak*kb", y.a, y.b, y.d, scaled(options, 6.0, 2.0));
            y.expect(-3, 2);
            contract_options doubled = options;
            doubled.alpha = 2.0;
            contract("ab-=2*ak*kb", z.a, z.b, z.d, doubled);
            z.expect(-4, 1);
            // Plans multiply each execution's alpha by the expression's factor.
            matrices<T> p;
            const contraction_plan plan = make_plan("ab=-0.5*ak*kb", p.a, p.b, p.d, options);
            EXPECT_TRUE(plan.execute(4.0, p.a.data(), p.b.data(), 1.0, p.d.data(), p.d.data()));
            p.expect(-2, 1);
        });
    });
}

TEST(Semantics, BetaZeroDoesNotReadC) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            const auto expect_product = [](const matrices<T> &x, const test_tensor<T> &d) {
                expect_equal(d, [&](index_t i, index_t j) { return 2.0 * x.product(i, j); });
            };
            const contract_options doubled = scaled(options, 2.0, 0.0);
            matrices<T> x;
            x.d.poison();
            contract("ab=ak*kb", x.a, x.b, x.d, doubled);
            expect_product(x, x.d);

            x.c.poison();
            x.d.poison();
            contract("ab=ak*kb", x.a, x.b, x.c, x.d, doubled);
            expect_product(x, x.d);

            x.d.poison();
            contract("ab=ak*kb", x.a, x.b, input(data_type_of<T>, nullptr, x.c.shape()), x.d,
                     doubled);
            expect_product(x, x.d);
        });
        every_way([](const contract_options &options) { // sums in several passes
            test_tensor<T> a({9, 3, 8, 5}), b({5, 7, 3}), d({7, 9});
            a.fill(1);
            b.fill(2);
            d.poison();
            contract("ba=axky*ybx", a, b, d, scaled(options, 1.0, -0.0));
            expect_equal(d, [&](index_t j, index_t i) {
                return sum(3, [&](index_t x) {
                    return sum(5, [&](index_t y) {
                        return sum(8, [&](index_t k) { return a(i, x, k, y); }) * b(y, j, x);
                    });
                });
            });
        });
    });
}

TEST(Semantics, AlphaZeroDoesNotReadInputs) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            for (const double beta : {0.0, 3.0}) {
                SCOPED_TRACE(beta);
                const contract_options none = scaled(options, 0.0, beta);
                matrices<T> x;
                x.a.poison();
                x.b.poison();
                contract("ab=ak*kb", x.a, x.b, x.d, none);
                x.expect(0, beta);

                x.d.poison();
                contract("ab=ak*kb", x.a, x.b, x.c, x.d, none);
                x.expect(0, beta);

                x.d.poison();
                contract("ab=ak*kb", x.a, x.b, conj(x.c.in()), x.d, none);
                expect_equal(x.d, [&](index_t i, index_t j) -> exact_t<T> {
                    if constexpr (is_complex(data_type_of<T>))
                        return beta * std::conj(x.c(i, j));
                    else
                        return beta * x.c(i, j);
                });

                x.d.poison();
                const input no_a(data_type_of<T>, nullptr, x.a.shape());
                const input no_b(data_type_of<T>, nullptr, x.b.shape());
                contract("ab=ak*kb", no_a, no_b, x.c, x.d, none);
                x.expect(0, beta);

                x.d.poison(); // one input
                contract("ab=ab", input(data_type_of<T>, nullptr, x.d.shape()), x.d,
                         scaled(options, 0.0, 0.0));
                x.expect(0, 0);
            }
        });
    });
}

template <class T> exact_t<T> conj_if(bool conjugate, exact_t<T> value) {
    if constexpr (is_complex(data_type_of<T>))
        return conjugate ? std::conj(value) : value;
    else
        return value;
}

TEST(Semantics, ConjugationPerOperand) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            for (int which = 0; which < 8; ++which) {
                SCOPED_TRACE(which);
                const bool conj_a = which & 1, conj_b = which & 2, conj_c = which & 4;
                const auto choose = [](bool conjugate, const input &operand) {
                    return conjugate ? conj(operand) : operand;
                };
                test_tensor<T> a({17, 3, 13}), b({13, 11, 3}), c({17, 11}), d({17, 11});
                a.fill(1);
                b.fill(2);
                c.fill(3);
                const auto expected = [&](index_t i, index_t j) {
                    return 2.0 * sum(13,
                                     [&](index_t k) {
                                         return sum(3, [&](index_t l) {
                                             return conj_if<T>(conj_a, a(i, l, k)) *
                                                    conj_if<T>(conj_b, b(k, j, l));
                                         });
                                     }) +
                           3.0 * conj_if<T>(conj_c, c(i, j));
                };
                d.poison();
                contract("ab=alk*kbl", choose(conj_a, a), choose(conj_b, b), choose(conj_c, c), d,
                         scaled(options, 2.0, 3.0));
                expect_equal(d, expected);
                d.fill(3); // C is D's memory, but passed as another operand
                contract("ab=alk*kbl", choose(conj_a, a), choose(conj_b, b),
                         choose(conj_c, input(d.out())), d, scaled(options, 2.0, 3.0));
                expect_equal(d, expected);
            }
        });
        every_way([](const contract_options &options) { // one input; twice is not at all
            test_tensor<T> a({17, 5, 13}), d({13, 17});
            a.fill(1);
            d.poison();
            contract("ba=axb", conj(a.in()), d, options);
            expect_equal(d, [&](index_t j, index_t i) {
                return sum(5, [&](index_t x) { return conj_if<T>(true, a(i, x, j)); });
            });
            contract("ba=axb", conj(conj(a.in())), d, options);
            expect_equal(d, [&](index_t j, index_t i) {
                return sum(5, [&](index_t x) { return a(i, x, j); });
            });
        });
    });
}

} // namespace
} // namespace tenfold::testing
