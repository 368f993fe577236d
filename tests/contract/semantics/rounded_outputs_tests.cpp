// Tests the rows about D of another type than the sums, and about C's type, of the section "Types"
// of docs/semantics.md.
#include <array>
#include <cmath>
#include <limits>

#include <tenfold/contract_batch.hpp>

#include "ways.hpp"

namespace tenfold::testing {
namespace {

/// body(tag<T>()) for the types that are narrower than sums of them.
template <class Body> void every_stored_type(const Body &body) {
    list_of_element_types<calls_with>::all([&]<class T>(tag<T> type) {
        if constexpr (!is_arithmetic(data_type_of<T>))
            body(type);
    });
}

/// body(tag<T>()) for every T of which sums for D hold all numbers.
template <class D, class Body> void every_addend_of(const Body &body) {
    list_of_element_types<calls_with>::all([&]<class T>(tag<T> type) {
        if constexpr (converts_exactly(data_type_of<T>, output_type_of(data_type_of<D>)))
            body(type);
    });
}

/// The way that reproducible contractions take, after every other one.
template <class Body> void every_way_and_leaves(const Body &body) {
    every_way(body);
    SCOPED_TRACE("reproducible");
    body({.reproducible = true});
}

/// Sums of up to some thousands, and beta C of some hundreds, of which neither is a number of D:
/// rounding one of them first would show.
constexpr double beta = 37;

template <class TA, class TB, class TC, class TD>
void rounded_matrices(const contract_options &options) {
    test_tensor<TA> a({37, 29});
    test_tensor<TB> b({29, 31}, {31, 1});
    test_tensor<TC> c({37, 31}, {31, 1});
    test_tensor<TD> d({37, 31});
    a.fill(1);
    b.fill(2);
    c.fill(3);
    const auto product = [&](index_t i, index_t j) {
        return sum(29, [&](index_t k) { return exact_t<TD>(a(i, k)) * exact_t<TD>(b(k, j)); });
    };
    d.poison();
    contract("ab=ak*kb", a, b, c, d, scaled(options, -2.0, beta));
    expect_equal(d, [&](index_t i, index_t j) {
        return exact(rounded<TD>(-2.0 * product(i, j) + beta * exact_t<TD>(c(i, j))));
    });
    d.poison();
    contract("ab=ak*kb", a, b, d, options);
    expect_equal(d, [&](index_t i, index_t j) { return exact(rounded<TD>(product(i, j))); });
}

/// Labels of every class, in place, where D is a sub-tensor with a negative stride.
template <class T, class TD> void rounded_tensors(const contract_options &options) {
    test_tensor<T> a({3, 3, 4, 5, 6}), b({7, 3, 6, 2});
    test_tensor<TD> d({5, 7, 6}, {-2, 10, 80}), before({5, 7, 6});
    a.fill(1);
    b.fill(2);
    d.fill(3);
    before.fill(3);
    contract("mnx=kkymx*nkxz", a, b, d, scaled(options, 2.0, beta));
    expect_equal(d, [&](index_t m, index_t n, index_t x) {
        exact_t<TD> all = beta * before(m, n, x);
        for (index_t k = 0; k < 3; ++k)
            for (index_t y = 0; y < 4; ++y)
                for (index_t z = 0; z < 2; ++z)
                    all += 2.0 * a(k, k, y, m, x) * b(n, k, x, z);
        return exact(rounded<TD>(all));
    });
}

/// One input: moved, moved and added, summed; three inputs; nothing to sum.
template <class T, class TD> void rounded_by_number_of_inputs(const contract_options &options) {
    test_tensor<T> a({9, 11}), b({11, 8}), e({8, 7});
    test_tensor<TD> turned({11, 9}), c({11, 9}), row({9}), d({9, 7}), empty({9, 8});
    test_tensor<float> wide_c({11, 9}, {9, 1});
    a.fill(1);
    b.fill(2);
    e.fill(3);
    c.fill(4);
    wide_c.fill(5);
    const std::array only_a{a.in()};
    turned.poison();
    contract("ba=ab", a, turned, scaled(options, 41.0, 0.0));
    expect_equal(turned, [&](index_t j, index_t i) { return exact(rounded<TD>(41.0 * a(i, j))); });
    turned.poison();
    contract("ba=ab", only_a, c, turned, scaled(options, 41.0, beta));
    expect_equal(turned, [&](index_t j, index_t i) {
        return exact(rounded<TD>(41.0 * a(i, j) + beta * c(j, i)));
    });
    turned.poison();
    contract("ba=ab", only_a, wide_c, turned, scaled(options, 41.0, beta));
    expect_equal(turned, [&](index_t j, index_t i) {
        return exact(rounded<TD>(41.0 * a(i, j) + beta * wide_c(j, i)));
    });
    row.poison();
    contract("a=ab", a, row, scaled(options, 41.0, 0.0));
    expect_equal(row, [&](index_t i) {
        return exact(rounded<TD>(41.0 * sum(11, [&](index_t j) { return a(i, j); })));
    });
    d.poison();
    contract("il=ij*jk*kl", {a, b, e}, d, options);
    expect_equal(d, [&](index_t i, index_t l) {
        return exact(rounded<TD>(sum(11, [&](index_t j) {
            return sum(8, [&](index_t k) { return a(i, j) * b(j, k) * e(k, l); });
        })));
    });

    test_tensor<T> no_columns({9, 0}), no_rows({0, 8});
    test_tensor<float> old({9, 8});
    old.fill(6);
    empty.poison();
    contract("ab=ak*kb", no_columns, no_rows, old, empty, scaled(options, 1.0, beta));
    expect_equal(empty, [&](index_t i, index_t j) { return exact(rounded<TD>(beta * old(i, j))); });
    empty.poison();
    contract("ab=ak*kb", no_columns, no_rows, empty, options);
    expect_equal(empty, [&](index_t, index_t) { return 0.0; });
}

TEST(Semantics, RoundedOutputs) {
    every_stored_type([]<class TD>(tag<TD>) {
        every_addend_of<TD>([]<class T>(tag<T>) {
            every_way_and_leaves([](const contract_options &options) {
                rounded_matrices<T, T, TD, TD>(options);
                rounded_matrices<T, float, T, TD>(options);
                rounded_tensors<T, TD>(options);
                rounded_by_number_of_inputs<T, TD>(options);
            });
        });
    });

    const test_tensor<bf16> a({400, 300}), b({300, 500});
    test_tensor<bf16> d({400, 500});
    const contraction_plan plan = make_plan("ab=ak*kb", a.in(), b.in(), d.out());
    const std::string text = plan.explain();
    EXPECT_NE(text.find("rounding to bf16"), std::string::npos) << text;
    EXPECT_NE(text.find("not direct: sums are in f32 and rounded where they move into D, which is "
                        "bf16"),
              std::string::npos)
        << text;
    const byte_count less = bytes(plan.workspace_size().value / 2);
    EXPECT_LE(
        make_plan("ab=ak*kb", a.in(), b.in(), d.out(), {.workspace_limit = less}).workspace_size(),
        less);
}

/// One row of A and one column of B: D is a b + beta c, of which f16 cannot hold everything.
TEST(Semantics, RoundedOutputsOverflow) {
    const float infinity = std::numeric_limits<float>::infinity();
    const float not_a_number = std::numeric_limits<float>::quiet_NaN();
    struct element {
        float a, b, c, d;
    };
    const std::vector<element> all{
        {255.0F, 257.0F, 0.0F, infinity},      // 65535, at least the midpoint 65520
        {255.0F, 256.0F, 224.0F, 65504.0F},    // the largest number: 65280 + 224
        {-255.0F, 256.0F, -256.0F, -infinity}, // -65536
        {255.0F, 256.0F, 239.0F, 65504.0F},    // 65519 lies below the midpoint
        {256.0F, 256.0F, -256.0F, 65280.0F},   // the product alone would overflow
        {infinity, 1.0F, 5.0F, infinity},         {infinity, 1.0F, -infinity, not_a_number},
        {not_a_number, 1.0F, 5.0F, not_a_number}, {0x1p-12F, 0x1p-12F, 0.0F, 0x1p-24F}, // subnormal
        {0x1p-13F, 0x1p-12F, 0.0F, 0.0F}, // half of it: to even
        {0x1.8p-13F, 0x1p-12F, 0.0F, 0x1p-24F}};
    const auto count = static_cast<index_t>(all.size());
    every_way_and_leaves([&](const contract_options &options) {
        test_tensor<f16> a({count}), b({count}), d({count});
        test_tensor<float> c({count});
        for (index_t i = 0; i < count; ++i) {
            const element &one = all[static_cast<std::size_t>(i)];
            a.element(i) = f16(one.a);
            b.element(i) = f16(one.b);
            c.element(i) = one.c;
        }
        d.poison();
        contract("i=i*i", a, b, c, d, scaled(options, 1.0, 1.0));
        for (index_t i = 0; i < count; ++i) {
            const auto wanted = static_cast<double>(all[static_cast<std::size_t>(i)].d);
            EXPECT_TRUE(d(i) == wanted || (std::isnan(d(i)) && std::isnan(wanted)))
                << i << ": " << d(i) << ", expected " << wanted;
        }
    });
}

TEST(Semantics, TypesOfC) {
    every_type([]<class TD>(tag<TD>) {
        every_addend_of<TD>([]<class TC>(tag<TC>) {
            every_way_and_leaves(
                [](const contract_options &options) { rounded_matrices<TD, TD, TC, TD>(options); });
        });
    });
    // Wider than D, where sums are in f64.
    every_way_and_leaves([](contract_options options) {
        options.f64_sums = true;
        rounded_matrices<float, double, double, float>(options);
        rounded_matrices<c32, float, c64, c32>(options);
        rounded_matrices<double, double, double, bf16>(options);
        rounded_matrices<f16, f16, double, f16>(options);
    });

    // C of another type is another tensor, even where its elements lie like D's.
    test_tensor<float> a({4, 4}), d({4, 4});
    a.fill(1);
    d.fill(2);
    const input c(data_type::f16, d.data(), d.shape());
    expect_refused(errc::overlap, "C shares elements with the output", d,
                   [&] { contract("ab=ak*kb", a, a, c, d, {.beta = 1.0}); });
}

/// Every contraction of a batch has a C of its own, and some are in place.
TEST(Semantics, BatchesOfRoundedOutputs) {
    constexpr index_t count = 6;
    test_tensor<bf16> a({8, 9, count}), b({9, 7, count}), d({8, 7, count}), before({8, 7, count});
    a.fill(1);
    b.fill(2);
    d.fill(3);
    before.fill(3);
    const auto part = [](const test_tensor<bf16> &all, extents_t extents) {
        return input(data_type::bf16, all.data(), layout(std::move(extents)));
    };
    const contraction_plan plan =
        make_plan("ab=ak*kb", part(a, {8, 9}), part(b, {9, 7}),
                  output(data_type::bf16, d.data(), layout({8, 7})), {.threads = 2});
    const std::array inputs{input_batch::strided(a.data(), 72), input_batch::strided(b.data(), 63)};
    plan.execute_batch({.count = count,
                        .alpha = 3.0,
                        .beta = beta,
                        .inputs = inputs,
                        .c = input_batch::strided(d.data(), 56),
                        .d = output_batch::strided(d.data(), 56)})
        .throw_if_failed();
    expect_equal(d, [&](index_t i, index_t j, index_t n) {
        return exact(
            rounded<bf16>(3.0 * sum(9, [&](index_t k) { return a(i, k, n) * b(k, j, n); }) +
                          beta * before(i, j, n)));
    });
}

} // namespace
} // namespace tenfold::testing
