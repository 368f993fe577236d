// Tests the section "Types" of docs/semantics.md.
#include <cmath>

#include "ways.hpp"

namespace tenfold::testing {
namespace {

TEST(Semantics, OneTypeForAllTensors) {
    every_type([]<class T>(tag<T>) {
        // The values need all digits of the type, so that a shorter type would show.
        const double large = sizeof(T) > sizeof(exact_t<T>) / 2 ? 0x1p40 + 1 : 0x1p20 + 1;
        every_way([&](const contract_options &options) {
            test_tensor<T> a({37, 29}), b({29, 31}), c({37, 31}), d({37, 31});
            a.fill(1);
            a.element(36, 28) = rounded<T>(large);
            b.fill(2);
            c.fill(3);
            d.poison();
            contract("ab=ak*kb", a, b, c, d, scaled(options, 1.0, 2.0));
            expect_equal(d, [&](index_t i, index_t j) {
                return sum(29, [&](index_t k) { return a(i, k) * b(k, j); }) + 2.0 * c(i, j);
            });
        });
    });
}

template <class Half> void sum_half_precision_inputs() {
    SCOPED_TRACE(std::string(name(data_type_of<Half>)));
    constexpr index_t terms = 1000;
    every_way([&](const contract_options &options) {
        test_tensor<Half> a({5, terms}), b({terms, 9});
        test_tensor<float> c({9, 5}), d({9, 5});
        // All products are positive, so that partial sums soon exceed what 8 or 11 bits can
        // represent.
        a.fill(1);
        b.fill(2);
        for (const auto &[tensor, rows, columns] :
             {std::tuple{&a, index_t{5}, terms}, std::tuple{&b, terms, index_t{9}}})
            for (index_t i = 0; i < rows; ++i)
                for (index_t j = 0; j < columns; ++j)
                    tensor->element(i, j) = rounded<Half>(std::abs((*tensor)(i, j)));
        c.fill(3);
        d.poison();
        contract("ba=ak*kb", a, b, c, d, scaled(options, 3.0, 0x1p20)); // beta * C needs f32
        expect_equal(d, [&](index_t j, index_t i) {
            return 3.0 * sum(terms, [&](index_t k) { return a(i, k) * b(k, j); }) +
                   0x1p20 * c(j, i);
        });
    });
}

TEST(Semantics, HalfPrecisionInputs) {
    sum_half_precision_inputs<bf16>();
    sum_half_precision_inputs<f16>();
}

TEST(Semantics, SubnormalBf16) {
    // Six of seven products are 2^-130 times 2^20, which dot products take for 0.
    constexpr index_t k = 7;
    test_tensor<bf16> a({40, k}), b({k, 30});
    for (index_t p = 0; p < k; ++p) {
        for (index_t i = 0; i < 40; ++i)
            a.element(i, p) = bf16(p == 3 ? 0x1p-110F : 0x1p-130F);
        for (index_t j = 0; j < 30; ++j)
            b.element(p, j) = bf16(0x1p20F);
    }
    const auto product = [&](const contract_options &options) {
        test_tensor<float> d({40, 30});
        d.poison();
        contract("ab=ak*kb", a, b, d, options);
        return d(17, 11);
    };
    const auto kept = static_cast<double>(0x1p-90F + 6 * 0x1p-110F);
    const auto lost = static_cast<double>(0x1p-90F);
    every_way([&](contract_options options) {
        options.bf16_sums = bf16_sums::widened;
        EXPECT_EQ(product(options), kept);
        options.bf16_sums = bf16_sums::automatic;
        const auto either = product(options);
        EXPECT_TRUE(either == kept || either == lost) << either;
        options.reproducible = true;
        options.algorithm = algorithm::automatic;
        EXPECT_EQ(product(options), kept);
    });
    EXPECT_EQ(product({.algorithm = algorithm::direct, .bf16_sums = bf16_sums::dot_products}),
              lost);
}

TEST(Semantics, NarrowerOutputsAreRefused) {
    const auto plan = [](data_type a, data_type b, data_type c, data_type d) {
        const layout shape({2, 2});
        (void)make_plan("ab=ak*kb", {a, nullptr, shape}, {b, nullptr, shape}, {c, nullptr, shape},
                        {d, nullptr, shape});
    };
    int allowed = 0;
    for (const data_type a : all_data_types)
        for (const data_type b : all_data_types)
            for (const data_type c : all_data_types)
                for (const data_type d : all_data_types) {
                    bool fits = true; // in the type of sums
                    for (const data_type one : {a, b, c})
                        fits = fits && converts_exactly(one, output_type_of(d));
                    allowed += fits;
                    try {
                        plan(a, b, c, d);
                        EXPECT_TRUE(fits) << name(a) << name(b) << name(c) << name(d);
                    } catch (const error &e) {
                        EXPECT_FALSE(fits) << e.what();
                        EXPECT_EQ(e.code(), errc::type_mismatch) << e.what();
                    }
                }
    EXPECT_EQ(allowed, 3 * 27 + 64 + 64 + 216);

    test_tensor<float> a({2, 2}), d({2, 2});
    test_tensor<double> b({2, 2});
    test_tensor<c32> complex_d({2, 2});
    expect_refused(errc::type_mismatch, "B is f64 and D is f32; D must be f64 or c64", d,
                   [&] { contract("ab=ak*kb", a, b, d); });
    expect_refused(errc::type_mismatch, "B is f64 and D is c32; D must be f64 or c64", complex_d,
                   [&] { contract("ab=ak*kb", a, b, complex_d); });
    expect_refused(errc::type_mismatch, "A is c32 and D is f32; D must be c32 or c64", d,
                   [&] { contract("ab=ak*kb", complex_d, a, d); });
    expect_refused(errc::type_mismatch, "C is f64 and D is f32; D must be f64 or c64", d,
                   [&] { contract("ab=ak*kb", a, a, b, d); });
}

/// The type is that of the input alone; D's numbers are nearest to the input's.
TEST(Semantics, AssignmentsConvert) {
    for (const data_type a : all_data_types)
        for (const data_type d : all_data_types) {
            const layout shape({2, 2});
            const input from(a, nullptr, shape);
            const output to(d, nullptr, shape);
            const auto plan = [&](const char *expression) {
                (void)make_plan(expression, from, to);
            };
            SCOPED_TRACE(std::string(name(a)) + " to " + std::string(name(d)));
            if (is_complex(a) && !is_complex(d)) {
                EXPECT_THROW(plan("ba=ab"), error);
            } else {
                EXPECT_NO_THROW(plan("ba=ab"));
                EXPECT_NO_THROW(plan("ab=ba"));
            }
        }

    constexpr index_t rows = 37, columns = 31;
    const auto narrow = []<class D>(tag<D>, double value, double nearest) {
        SCOPED_TRACE(std::string(name(data_type_of<D>)));
        test_tensor<double> a({rows, columns});
        a.fill(1);
        a.element(36, 30) = value;
        test_tensor<D> before({columns, rows});
        before.fill(2);
        const auto check = [&](const contract_options &options) {
            test_tensor<D> d({columns, rows});
            d.poison();
            contract("ba=ab", a, d, options);
            expect_equal(d, [&](index_t j, index_t i) {
                return exact_t<D>(i == 36 && j == 30 ? nearest : a(i, j));
            });
            d.fill(2);
            contract("ba=ab", a, d, scaled(options, 2.0, -1.0));
            expect_equal(d, [&](index_t j, index_t i) {
                return i == 36 && j == 30 ? d(j, i) : 2.0 * a(i, j) - before(j, i);
            });
        };
        every_way(check);
        check({.reproducible = true});
    };
    // By way of f32 the first two would be rounded to 1, as if they lay halfway.
    narrow(tag<bf16>(), 1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-7);
    narrow(tag<f16>(), 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-10);
    narrow(tag<float>(), 1 + 0x1p-24 + 0x1p-50, 1 + 0x1p-23);
    narrow(tag<c32>(), 1 + 0x1p-24 + 0x1p-50, 1 + 0x1p-23);

    test_tensor<double> wide({4, 3}), other({4, 3});
    test_tensor<float> sums({4}), product({4, 3});
    expect_refused(errc::type_mismatch, "A is f64 and D is f32; D must be f64 or c64", sums,
                   [&] { contract("a=ab", wide, sums); });
    expect_refused(errc::type_mismatch, "A is f64 and D is f32; D must be f64 or c64", product,
                   [&] { contract("ab=ab*ab", wide, other, product); });
}

/// Computes alpha A B + beta C, 37x31x29, with data for which C is the product.
template <class T>
void update_with(const contract_options &options, scalar alpha, scalar beta, exact_t<T> factor) {
    test_tensor<T> a({37, 29}), b({29, 31}), c({37, 31}), d({37, 31});
    a.fill(1);
    b.fill(2);
    for_each_position(c.shape().extents(), [&](const extents_t &p) {
        c.element(p[0], p[1]) =
            rounded<T>(sum(29, [&](index_t k) { return a(p[0], k) * b(k, p[1]); }));
    });
    d.poison();
    contract("ab=ak*kb", a, b, c, d, scaled(options, alpha, beta));
    expect_equal(d, [&](index_t i, index_t j) { return factor * c(i, j); });
}

TEST(Semantics, ScalarsHaveTheOutputType) {
    // alpha and beta are rounded to the type: what f32 cannot distinguish from 1 or 0 acts as 1 or
    // 0.
    const double above_1 = 1 + 0x1p-25;
    every_type([&]<class T>(tag<T>) {
        const bool single = data_type_of<T> == data_type::f32 || data_type_of<T> == data_type::c32;
        const double left_over = single ? 0 : 0x1p-25;
        every_way([&](const contract_options &options) {
            update_with<T>(options, above_1, -1.0, left_over);
            update_with<T>(options, -1.0, above_1, left_over);
            update_with<T>(options, above_1, 0.0, 1 + left_over);
            if constexpr (is_complex(data_type_of<T>)) {
                update_with<T>(options, {2, -3}, {0, 5}, exact_t<T>{2, 2});
                update_with<T>(options, {0, above_1}, {0, -1}, exact_t<T>{0, left_over});
            }
        });
    });
    every_way([](const contract_options &options) {
        test_tensor<float> a({3, 4}), b({4, 5}), d({3, 5});
        a.poison();
        b.poison();
        d.fill(1);
        contract("ab=ak*kb", a, b, d, scaled(options, 1e-60, 1.0)); // 0 in f32
        test_tensor<float> before({3, 5});
        before.fill(1);
        expect_equal(d, [&](index_t i, index_t j) { return before(i, j); });
    });

    test_tensor<float> a({3, 3}), d({3, 3});
    a.fill(1);
    d.fill(2);
    const std::string message =
        "the tensors' type does not hold a scalar: an imaginary part if they are real, or other "
        "than integers of 32 bits if they are integers";
    expect_refused(errc::type_mismatch, message, d,
                   [&] { contract("ab=ak*kb", a, a, d, {.alpha = scalar(1, 1e-30)}); });
    expect_refused(errc::type_mismatch, message, d,
                   [&] { contract("ab=ak*kb", a, a, d, {.beta = scalar(0, 1)}); });
}

} // namespace
} // namespace tenfold::testing
