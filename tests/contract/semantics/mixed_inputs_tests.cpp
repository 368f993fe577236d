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

} // namespace
} // namespace tenfold::testing
