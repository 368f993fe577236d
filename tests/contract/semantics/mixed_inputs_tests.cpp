// Tests the row about mixtures of the section "Types" of docs/semantics.md.
#include "ways.hpp"

namespace tenfold::testing {
namespace {

/// body(tag<T>()) for every T whose numbers are numbers of D.
template <class D, class Body> void every_part_of(const Body &body) {
    list_of_element_types<calls_with>::all([&]<class T>(tag<T>) {
        if constexpr (converts_exactly(data_type_of<T>, data_type_of<D>))
            body(tag<T>());
    });
}

template <class TA, class TB, class TD> void mixed_matrices(const contract_options &options) {
    test_tensor<TA> a({37, 29});
    test_tensor<TB> b({29, 31}, {31, 1});
    test_tensor<TD> c({37, 31}), d({37, 31});
    a.fill(1);
    b.fill(2);
    c.fill(3);
    d.poison();
    contract("ab=ak*kb", conj(a.in()), b, c, d, scaled(options, -2.0, 3.0));
    expect_equal(d, [&](index_t i, index_t j) {
        return sum(29,
                   [&](index_t k) {
                       const exact_t<TD> x = a(i, k);
                       if constexpr (is_complex(data_type_of<TD>))
                           return -2.0 * std::conj(x) * exact_t<TD>(b(k, j));
                       else
                           return -2.0 * x * b(k, j);
                   }) +
               3.0 * c(i, j);
    });
}

/// Labels of every class, in an order that fits no matrix.
template <class TA, class TB, class TD> void mixed_tensors(const contract_options &options) {
    test_tensor<TA> a({3, 3, 4, 5, 6});
    test_tensor<TB> b({7, 3, 6, 2});
    test_tensor<TD> d({5, 7, 6}), before({5, 7, 6});
    a.fill(1);
    b.fill(2);
    d.fill(3);
    before.fill(3);
    contract("mnx=kkymx*nkxz", a, b, d, scaled(options, 2.0, -1.0));
    expect_equal(d, [&](index_t m, index_t n, index_t x) {
        exact_t<TD> all = -before(m, n, x);
        for (index_t k = 0; k < 3; ++k)
            for (index_t y = 0; y < 4; ++y)
                for (index_t z = 0; z < 2; ++z)
                    all += 2.0 * exact_t<TD>(a(k, k, y, m, x)) * exact_t<TD>(b(n, k, x, z));
        return all;
    });
}

/// One input, and three.
template <class TA, class TD> void other_numbers_of_inputs(const contract_options &options) {
    test_tensor<TA> a({9, 11});
    test_tensor<TD> turned({11, 9}), row({9}), b({11, 8}), d({9, 7});
    test_tensor<TA> e({8, 7});
    a.fill(1);
    b.fill(2);
    e.fill(3);
    for (auto *one : {&turned, &d})
        one->poison();
    row.poison();
    contract("ba=ab", a, turned, options);
    expect_equal(turned, [&](index_t j, index_t i) { return exact_t<TD>(a(i, j)); });
    contract("a=ab", a, row, options);
    expect_equal(
        row, [&](index_t i) { return sum(11, [&](index_t j) { return exact_t<TD>(a(i, j)); }); });
    contract("il=ij*jk*kl", {a, b, e}, d, options);
    expect_equal(d, [&](index_t i, index_t l) {
        return sum(11, [&](index_t j) {
            return sum(8, [&](index_t k) {
                return exact_t<TD>(a(i, j)) * b(j, k) * exact_t<TD>(e(k, l));
            });
        });
    });
}

TEST(Semantics, MixedInputs) {
    every_type([]<class TD>(tag<TD>) {
        every_part_of<TD>([]<class TA>(tag<TA>) {
            every_part_of<TD>([]<class TB>(tag<TB>) {
                SCOPED_TRACE(std::string(name(data_type_of<TA>)) + " and " +
                             std::string(name(data_type_of<TB>)));
                every_way(
                    [](const contract_options &options) { mixed_matrices<TA, TB, TD>(options); });
                every_way(
                    [](const contract_options &options) { mixed_tensors<TA, TB, TD>(options); });
                mixed_matrices<TA, TB, TD>({.reproducible = true});
                mixed_tensors<TA, TB, TD>({.reproducible = true});
            });
            SCOPED_TRACE(std::string(name(data_type_of<TA>)));
            every_way(
                [](const contract_options &options) { other_numbers_of_inputs<TA, TD>(options); });
        });
    });

    // What it costs is told, and is within the limit.
    const test_tensor<float> a({40, 30});
    const test_tensor<double> b({30, 50});
    test_tensor<double> d({40, 50});
    const contraction_plan plan = make_plan("ab=ak*kb", a.in(), b.in(), d.out());
    EXPECT_NE(plan.explain().find("f32 and f64 are multiplied as f64"), std::string::npos)
        << plan.explain();
    EXPECT_NE(plan.explain().find(" in f64"), std::string::npos) << plan.explain();
    EXPECT_GT(plan.workspace_size().value, 0);
    const byte_count less = bytes(plan.workspace_size().value / 2);
    EXPECT_LE(
        make_plan("ab=ak*kb", a.in(), b.in(), d.out(), {.workspace_limit = less}).workspace_size(),
        less);
}

/// Sums of 2^25, a small odd number and -2^25, which f32 cannot hold on the way.
TEST(Semantics, SumsInF64) {
    constexpr double large = 0x1p25;
    const auto sums = []<class T>(tag<T>, const contract_options &options, bool expect_exact) {
        test_tensor<T> a({13, 3}), b({3, 11}), c({13, 11}), d({13, 11}, {11, 1});
        for (index_t i = 0; i < 13; ++i) {
            a.element(i, 0) = rounded<T>(large);
            a.element(i, 1) = rounded<T>(2.0 * static_cast<double>(i) + 1);
            a.element(i, 2) = rounded<T>(-large);
        }
        for (index_t k = 0; k < 3; ++k)
            for (index_t j = 0; j < 11; ++j)
                b.element(k, j) = rounded<T>(1.0);
        c.fill(3);
        d.poison();
        contract("ab=ak*kb", a, b, c, d, scaled(options, 1.0, -2.0));
        const auto expected = [&](index_t i, index_t j) {
            return 2.0 * static_cast<double>(i) + 1 - 2.0 * c(i, j);
        };
        if (expect_exact)
            return expect_equal(d, expected);
        EXPECT_NE(d(0, 0), expected(0, 0)) << "f32 held what it cannot hold";
    };
    every_type([&]<class T>(tag<T> type) {
        every_way([&](contract_options options) {
            options.f64_sums = true;
            sums(type, options, true);
        });
        sums(type, {.reproducible = true, .f64_sums = true}, true);
        if constexpr (size_of(real_type_of(data_type_of<T>)) == sizeof(float)) {
            sums(type, {.algorithm = algorithm::direct}, false);
            // The plan of the same call with sums in f64 is another one.
            sums(type, {.threads = 1, .reproducible = false}, false);
        }
    });

    // Wider inputs, three inputs, and what is refused.
    test_tensor<double> wide({4, 3});
    test_tensor<float> narrow({3, 5}), last({5, 2}), d({4, 2}), between({4, 5});
    wide.fill(1);
    narrow.fill(2);
    last.fill(3);
    d.poison();
    between.poison();
    contract("ab=ak*kb", wide, narrow, between, {.f64_sums = true});
    expect_equal(between, [&](index_t i, index_t j) {
        return sum(3, [&](index_t k) { return wide(i, k) * narrow(k, j); });
    });
    contract("ac=ak*kb*bc", {wide, narrow, last}, d, {.f64_sums = true});
    expect_equal(d, [&](index_t i, index_t j) {
        return sum(5, [&](index_t b) {
            return sum(3, [&](index_t k) { return wide(i, k) * narrow(k, b); }) * last(b, j);
        });
    });
    test_tensor<c64> complex({4, 3});
    expect_refused(errc::type_mismatch, "A is c64 and D is f32; D must be c64", between,
                   [&] { contract("ab=ak*kb", complex, narrow, between, {.f64_sums = true}); });
}

} // namespace
} // namespace tenfold::testing
