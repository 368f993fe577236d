// Tests the section "More than two inputs" of docs/semantics.md.
#include "ways.hpp"

namespace tenfold::testing {
namespace {

/// D(i,l) = sum over j and k of A(i,j) B(j,k) E(k,l).
template <class T> struct chain {
    test_tensor<T> a{extents_t{13, 7}}, b{extents_t{7, 11}}, e{extents_t{11, 9}},
        d{extents_t{13, 9}};

    chain() {
        a.fill(1);
        b.fill(2);
        e.fill(3);
        d.poison();
    }
    exact_t<T> product(index_t i, index_t l) const {
        return sum(7, [&](index_t j) {
            return sum(11, [&](index_t k) { return a(i, j) * b(j, k) * e(k, l); });
        });
    }
};

TEST(Semantics, ManyInputs) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            chain<T> x;
            contract("il=ij*jk*kl", {x.a.in(), x.b.in(), x.e.in()}, x.d, options);
            expect_equal(x.d, [&](index_t i, index_t l) { return x.product(i, l); });
        });
        every_way([](const contract_options &options) { // a trace, a sum and a scalar among five
            test_tensor<T> a({5, 6, 5}), b({6, 4}), c({3}), e(extents_t{}), f({4, 7}), d({7});
            a.fill(1);
            b.fill(2);
            c.fill(3);
            e.fill(4);
            f.fill(5);
            d.poison();
            contract("iji,jk,x,,kl->l", {a.in(), b.in(), c.in(), e.in(), f.in()}, d, options);
            expect_equal(d, [&](index_t l) {
                return e() * sum(3, [&](index_t x) { return c(x); }) * sum(4, [&](index_t k) {
                           return f(k, l) * sum(6, [&](index_t j) {
                                      return b(j, k) *
                                             sum(5, [&](index_t i) { return a(i, j, i); });
                                  });
                       });
            });
        });
    });
}

TEST(Semantics, LabelsOfManyInputs) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) { // the label is summed at its last input
            test_tensor<T> a({4, 9}), b({5, 9}), c({6, 9}), d({4, 5, 6});
            a.fill(1);
            b.fill(2);
            c.fill(3);
            d.poison();
            contract("ai,bi,ci->abc", {a.in(), b.in(), c.in()}, d, options);
            expect_equal(d, [&](index_t i, index_t j, index_t k) {
                return sum(9, [&](index_t x) { return a(i, x) * b(j, x) * c(k, x); });
            });
        });
        every_way([](const contract_options &options) { // the output keeps the label
            test_tensor<T> a({9, 4}), b({9, 4}), c({9}), d({9});
            a.fill(1);
            b.fill(2);
            c.fill(3);
            d.poison();
            contract("i=ij*ij*i", {a.in(), b.in(), c.in()}, d, options);
            expect_equal(d, [&](index_t i) {
                return c(i) * sum(4, [&](index_t j) { return a(i, j) * b(i, j); });
            });
        });
    });
}

TEST(Semantics, FourTensors) {
    chain<double> x;
    contract("il=ij*jk*kl", x.a, x.b, x.e, x.d); // three inputs and D
    expect_equal(x.d, [&](index_t i, index_t l) { return x.product(i, l); });

    test_tensor<double> c({13, 11}), d({13, 11});
    c.fill(4);
    d.poison();
    contract("ik=ij*jk", x.a, x.b, c, d, {.beta = 2.0}); // two inputs, C and D
    expect_equal(d, [&](index_t i, index_t k) {
        return sum(7, [&](index_t j) { return x.a(i, j) * x.b(j, k); }) + 2.0 * c(i, k);
    });
    const contraction_plan plan = make_plan("il=ij*jk*kl", x.a, x.b, x.e, x.d);
    EXPECT_EQ(plan.summary().steps.size(), 2U);
}

TEST(Semantics, ManyInputsUpdate) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            chain<T> x;
            test_tensor<T> c({13, 9});
            c.fill(4);
            contract("il=-2*ij*jk*kl", {x.a.in(), x.b.in(), x.e.in()}, c, x.d,
                     scaled(options, 3.0, -1.0));
            expect_equal(x.d,
                         [&](index_t i, index_t l) { return -6.0 * x.product(i, l) - c(i, l); });
            x.d.fill(5);
            test_tensor<T> before({13, 9});
            before.fill(5);
            contract("il-=ij*jk*kl", {x.a.in(), x.b.in(), x.e.in()}, x.d, options);
            expect_equal(x.d, [&](index_t i, index_t l) { return before(i, l) - x.product(i, l); });
        });
        every_way([](const contract_options &options) { // alpha = 0: null and NaN inputs
            test_tensor<T> nan({13, 7}), c({13, 9}), d({13, 9});
            nan.poison();
            c.fill(4);
            d.poison();
            const input null_b(data_type_of<T>, nullptr, layout({7, 11}));
            const input null_e(data_type_of<T>, nullptr, layout({11, 9}));
            contract("il=ij*jk*kl", {nan.in(), null_b, null_e}, c, d, scaled(options, 0.0, 2.0));
            expect_equal(d, [&](index_t i, index_t l) { return 2.0 * c(i, l); });
        });
    });
}

TEST(Semantics, ManyInputsConjugated) {
    every_way([](const contract_options &options) {
        chain<c64> x;
        test_tensor<c64> c({13, 9});
        c.fill(4);
        contract("il=ij*jk*kl", {conj(x.a.in()), x.b.in(), conj(x.e.in())}, conj(c.in()), x.d,
                 scaled(options, 1.0, 1.0));
        expect_equal(x.d, [&](index_t i, index_t l) {
            return std::conj(c(i, l)) + sum(7, [&](index_t j) {
                       return sum(11, [&](index_t k) {
                           return std::conj(x.a(i, j)) * x.b(j, k) * std::conj(x.e(k, l));
                       });
                   });
        });
    });
}

TEST(Semantics, ManyInputsOfHalfPrecision) {
    const auto check = []<class T>(tag<T>) {
        for (const auto one : {algorithm::automatic, algorithm::reference}) {
            chain<T> x;
            test_tensor<float> d({13, 9});
            d.poison();
            contract("il=ij*jk*kl", {x.a.in(), x.b.in(), x.e.in()}, d, {.algorithm = one});
            expect_equal(d, [&](index_t i, index_t l) { return x.product(i, l); });
        }
    };
    check(tag<bf16>());
    check(tag<f16>());
}

TEST(Semantics, ManyInputsOfExtentZero) {
    every_way([](const contract_options &options) {
        test_tensor<double> a({13, 0}), b({0, 11}), e({11, 9}), c({13, 9}), d({13, 9});
        e.fill(1);
        c.fill(2);
        d.poison();
        contract("il=ij*jk*kl", {a.in(), b.in(), e.in()}, c, d, scaled(options, 1.0, 3.0));
        expect_equal(d, [&](index_t i, index_t l) { return 3.0 * c(i, l); });
        contract("il=ij*jk*kl", {a.in(), b.in(), e.in()}, d, options);
        expect_equal(d, [](index_t, index_t) { return 0.0; });

        const output none(data_type::f64, nullptr, layout({0, 9}));
        const input no_rows(data_type::f64, nullptr, layout({0, 7}));
        const input b_null(data_type::f64, nullptr, layout({7, 11}));
        contract("il=ij*jk*kl", {no_rows, b_null, e.in()}, none, options);
    });
}

TEST(Semantics, ManyInputsErrorsNameTheInput) {
    chain<double> x;
    test_tensor<double> short_e({12, 9});
    short_e.fill(1);
    expect_refused(errc::extent_mismatch,
                   "label 'k': input 2 mode 1 has extent 11, input 3 mode 0 has extent 12", x.d,
                   [&] { contract("il=ij*jk*kl", x.a, x.b, short_e, x.d); });
    expect_refused(errc::extent_mismatch,
                   "label 'k': 'V' mode 1 has extent 11, 'T' mode 0 has extent 12", x.d,
                   [&] { contract("R[i,l]=F[i,j]*V[j,k]*T[k,l]", x.a, x.b, short_e, x.d); });
    test_tensor<double> wide({13, 10});
    wide.fill(1);
    expect_refused(errc::extent_mismatch,
                   "label 'l': input 3 mode 1 has extent 9, D mode 1 has extent 10", wide,
                   [&] { contract("il=ij*jk*kl", x.a, x.b, x.e, wide); });
    test_tensor<float> single({11, 9});
    single.fill(1);
    test_tensor<float> narrow({13, 9});
    narrow.fill(1);
    expect_refused(errc::type_mismatch, "input 1 is f64 and D is f32; D must be f64 or c64", narrow,
                   [&] { contract("il=ij*jk*kl", x.a, x.b, single, narrow); });
    expect_refused(errc::repeated_label,
                   "label 'i' stands more than once in the output; set diagonal_output to write "
                   "the diagonal only",
                   x.d, [&] {
                       test_tensor<double> square({13, 13, 9});
                       contract("iil=ij*jk*kl", x.a, x.b, x.e, square);
                   });

    // Errors that execution reports.
    const input null(data_type::f64, nullptr, x.b.shape());
    expect_refused(errc::null_pointer, "input 2 is null where its elements are needed", x.d,
                   [&] { contract("il=ij*jk*kl", x.a, null, x.e, x.d); });
    const input over(data_type::f64, x.d.data() + 3, x.e.shape());
    expect_refused(errc::overlap, "input 3 shares elements with the output", x.d,
                   [&] { contract("il=ij*jk*kl", x.a, x.b, over, x.d); });
    const input over_c(data_type::f64, x.d.data() + 1, x.d.shape());
    expect_refused(errc::overlap, "C shares elements with the output", x.d, [&] {
        contract("il=ij*jk*kl", {x.a.in(), x.b.in(), x.e.in()}, over_c, x.d, {.beta = 1.0});
    });
    const contraction_plan plan = make_plan("il=ij*jk*kl", x.a, x.b, x.e, x.d);
    const status two = plan.execute(1.0, x.a.data(), x.b.data(), 0.0, nullptr, x.d.data());
    EXPECT_EQ(name(two.code()), name(errc::invalid_argument));
    EXPECT_EQ(two.message(),
              "the plan has another number of inputs or of epilogue steps, or a bound of the "
              "executor is out of range");
    EXPECT_TRUE(x.d.unchanged());
}

TEST(Semantics, ManyInputsDiagonalOutput) {
    every_way([](const contract_options &options) {
        chain<double> x;
        test_tensor<double> d({13, 9, 13}), before({13, 9, 13});
        d.fill(5);
        before.fill(5);
        contract_options diagonal = options;
        diagonal.diagonal_output = true;
        contract("ili=ij*jk*kl", {x.a.in(), x.b.in(), x.e.in()}, d, diagonal);
        expect_equal(d, [&](index_t i, index_t l, index_t m) {
            return i == m ? x.product(i, l) : before(i, l, m);
        });
    });
}

TEST(Semantics, IntermediatesAreWorkspace) {
    every_way([](const contract_options &options) {
        chain<double> x;
        const auto plan = [&](std::optional<byte_count> limit) {
            contract_options limited = options;
            limited.workspace_limit = limit;
            return make_plan("il=ij*jk*kl", {x.a.in(), x.b.in(), x.e.in()}, x.d, limited);
        };
        const contraction_plan free = plan(std::nullopt);
        EXPECT_GE(free.workspace_size().value, 8 * 7 * 9); // the smaller of the intermediates
        EXPECT_LE(free.summary().largest_intermediate, free.workspace_size());
        try {
            (void)plan(bytes(0));
            ADD_FAILURE() << "an intermediate in no memory at all";
        } catch (const error &refused) {
            EXPECT_EQ(name(refused.code()), name(errc::workspace_too_small));
            const std::string message = refused.what(), before = "needs at least ";
            ASSERT_NE(message.find(before), std::string::npos) << message;
            const byte_count least{
                std::stoll(message.substr(message.find(before) + before.size()))};
            const contraction_plan frugal = plan(least);
            EXPECT_LE(frugal.workspace_size(), least);
            guarded_buffer workspace(static_cast<std::size_t>(least.value));
            const std::array<const void *, 3> data{x.a.data(), x.b.data(), x.e.data()};
            EXPECT_TRUE(frugal.execute(1.0, data, 0.0, nullptr, x.d.data(),
                                       {workspace.data(), workspace.size()}));
            EXPECT_TRUE(workspace.guards_intact());
            expect_equal(x.d, [&](index_t i, index_t l) { return x.product(i, l); });
        }
    });
}

} // namespace
} // namespace tenfold::testing
