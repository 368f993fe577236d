// Tests the section "Sizes" of docs/semantics.md.
#include <cstdint>

#include <tenfold/transpose.hpp>

#include "ways.hpp"

namespace tenfold::testing {
namespace {

constexpr index_t huge = index_t{1} << 40;

TEST(Semantics, EmptyOutput) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            // m, n or a batch extent is 0; all pointers are null.
            const auto null = [](extents_t extents) {
                return output(data_type_of<T>, nullptr, layout(std::move(extents)));
            };
            const contract_options both = scaled(options, 2.0, 3.0);
            contract("abn=akn*kbn", null({0, 3, 4}), null({3, 5, 4}), null({0, 5, 4}), both);
            contract("abn=akn*kbn", null({6, 3, 4}), null({3, 0, 4}), null({6, 0, 4}), both);
            contract("abn=akn*kbn", null({6, 3, 0}), null({3, 5, 0}), null({6, 5, 0}), both);
            contract("ab=ab", null({6, 0}), null({6, 0}), both);
            contract("ab=ab", null({huge, 0}), null({huge, 0}), both);

            // With memory, to which nothing is written.
            test_tensor<T> a({0, 3}), b({3, 5}), d({0, 5});
            b.poison();
            contract("ab=ak*kb", a, b, d, both);
            EXPECT_TRUE(d.unchanged());
        });
    });
}

TEST(Semantics, EmptySum) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> a({17, 0}), b({0, 11}), c({17, 11}, {12, 1}), d({17, 11}),
                before({17, 11});
            c.fill(3);
            before.fill(4);
            const input no_a(data_type_of<T>, nullptr, a.shape());
            const input no_b(data_type_of<T>, nullptr, b.shape());
            d.poison(); // beta = 0: all of it becomes 0
            contract("ab=ak*kb", a, b, d, options);
            expect_equal(d, [](index_t, index_t) { return exact_t<T>(0); });
            d.fill(4); // beta of D in place
            contract("ab=ak*kb", no_a, no_b, d, scaled(options, 2.0, 3.0));
            expect_equal(d, [&](index_t i, index_t j) { return 3.0 * before(i, j); });
            d.poison(); // beta of another C
            contract("ab=ak*kb", no_a, no_b, conj(conj(c.in())), d, scaled(options, 2.0, 3.0));
            expect_equal(d, [&](index_t i, index_t j) { return 3.0 * c(i, j); });
        });
        every_way([](const contract_options &options) {
            // An isolated label: B has elements, but they need not be read.
            test_tensor<T> a({17, 0, 3}), b({3, 11}), d({17, 11}), before({17, 11}), s(extents_t{});
            b.poison();
            d.fill(4);
            before.fill(4);
            s.poison();
            contract("ab=axk*kb", a, b, d, scaled(options, 2.0, 3.0));
            expect_equal(d, [&](index_t i, index_t j) { return 3.0 * before(i, j); });
            contract("=axk", a, s, options);
            expect_equal(s, [] { return exact_t<T>(0); });
        });
    });
}

TEST(Semantics, ScalarsHaveOrderZero) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> x({1009}), y({1009}), m({37, 31}), d({37, 31});
            test_tensor<T> s(extents_t{}), r(extents_t{});
            x.fill(1);
            y.fill(2);
            m.fill(3);
            s.fill(4);
            r.poison();
            const auto dot = [&] { return sum(1009, [&](index_t i) { return x(i) * y(i); }); };
            contract("=a*a", x, y, r, options);
            expect_equal(r, dot);
            d.poison(); // the scalar as either factor
            contract(",ab->ab", s, m, d, scaled(options, 2.0, 0.0));
            expect_equal(d, [&](index_t i, index_t j) { return 2.0 * s() * m(i, j); });
            d.poison();
            contract("ba,->ba", m, s, d, options);
            expect_equal(d, [&](index_t i, index_t j) { return s() * m(i, j); });
            // Three scalars, then two.
            const exact_t<T> before = r();
            contract(",->", s, s, r, scaled(options, 3.0, 2.0));
            expect_equal(r, [&] { return 3.0 * s() * s() + 2.0 * before; });
            contract("->", s, r, options);
            expect_equal(r, [&] { return s(); });
        });
    });
}

TEST(Semantics, UnitExtents) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            // Unit extents everywhere: m, n, k, batch, isolated. Their strides, which do not
            // matter, are far off.
            constexpr index_t far = INT64_MAX, last = INT64_MIN;
            test_tensor<T> a({1, 13, 1, 11, 1, 1}, {last, 1, -far, 13, 0, far}); // u a v k x n
            test_tensor<T> b({11, 1, 1, 17, 1}, {1, last, far, 11, far});        // k v w b n
            test_tensor<T> d({1, 17, 1, 13, 1}, {0, 14, last, 1, far});          // w b u a n
            test_tensor<T> before({1, 17, 1, 13, 1});
            a.fill(1);
            b.fill(2);
            before.fill(3);
            const auto product = [&](index_t j, index_t i) {
                return sum(11, [&](index_t k) { return a(0, i, 0, k, 0, 0) * b(k, 0, 0, j, 0); });
            };
            d.poison();
            contract("wbuan=uavkxn*kvwbn", a, b, d, options);
            for (index_t j = 0; j < 17; ++j)
                for (index_t i = 0; i < 13; ++i)
                    ASSERT_EQ(d(0, j, 0, i, 0), product(j, i));

            // In place, although C's unit extents have other strides than D's.
            d.fill(3);
            const input c(data_type_of<T>, d.data(),
                          layout({1, 17, 1, 13, 1}, {far, 14, 0, 1, last}));
            contract("wbuan=uavkxn*kvwbn", a, b, c, d, scaled(options, 2.0, 3.0));
            for (index_t j = 0; j < 17; ++j)
                for (index_t i = 0; i < 13; ++i)
                    ASSERT_EQ(d(0, j, 0, i, 0), 2.0 * product(j, i) + 3.0 * before(0, j, 0, i, 0));
        });
        every_way([](const contract_options &options) { // nothing but unit extents
            test_tensor<T> a({1, 1, 1}, {INT64_MAX, INT64_MAX, -7}), b({1, 1}), d({1});
            a.fill(1);
            b.fill(2);
            d.poison();
            contract("b=aak*kb", a, b, d, options);
            expect_equal(d, [&](index_t) { return a(0, 0, 0) * b(0, 0); });
        });
    });
}

TEST(Semantics, SixtyFourModesAtMost) {
    // Labels a<i>, each of extent 1; the first two of the second input are summed over.
    const auto labels = [](int modes) {
        std::string text = "[";
        for (int mode = 0; mode < modes; ++mode)
            text += (mode > 0 ? ",a" : "a") + std::to_string(mode);
        return text + "]";
    };
    const auto ones = [](int modes) { return extents_t(static_cast<std::size_t>(modes), 1); };
    for (const int modes : {63, 64}) {
        test_tensor<double> a(ones(modes)), b({1}), d(ones(modes - 1));
        a.fill(1);
        b.fill(2);
        d.poison();
        const std::string all = labels(modes), fewer = labels(modes - 1);
        contract("D" + fewer + "=A" + all + "*B[a" + std::to_string(modes - 1) + "]", a, b, d);
        EXPECT_EQ(*d.data(), *a.data() * *b.data());
    }
    test_tensor<double> a(ones(65)), b({1}), d(ones(64));
    d.fill(1);
    const std::string what = " has 65 modes; at most 64 are supported";
    expect_refused(errc::unsupported, "A" + what, d,
                   [&] { contract("D" + labels(64) + "=A" + labels(65) + "*B[a64]", a, b, d); });
    expect_refused(errc::unsupported, "D" + what, d,
                   [&] { contract("D" + labels(65) + "=A" + labels(64) + "*B[a64]", d, b, a); });
    expect_refused(errc::unsupported, "'A'" + what, d, [&] {
        contract("D" + labels(64) + "=A" + labels(65) + "*B[a64]*E[a64]", {a.in(), b.in(), b.in()},
                 d);
    });
}

TEST(Semantics, OverflowIsRefused) {
    test_tensor<double> d(extents_t{});
    d.fill(1);
    const auto refused = [&](const std::string &message, auto call) {
        SCOPED_TRACE(message);
        expect_refused(errc::overflow, message, d, call);
    };
    refused("number of elements: 1099511627776 x 1099511627776 does not fit 64 bits", [] {
        layout({huge, huge});
    });
    refused("number of elements: 1099511627776 x 1099511627776 does not fit 64 bits", [] {
        layout({huge, huge}, {0, 0});
    });
    refused("position of an element: 1099511627775 x 1099511627776 does not fit 64 bits",
            [] { layout({huge}, {huge}); });
    refused("extents (1073741824, 1073741824) of c64 need 1152921504606846976 x 16 bytes, which "
            "does not fit 64 bits",
            [] {
                tensor<c64>({index_t{1} << 30, index_t{1} << 30});
            });

    // Tensors of one element that zero strides make huge.
    double element = 1;
    const input many(data_type::f64, &element, layout({huge, index_t{1} << 20}, {0, 0}));
    refused("bytes of A: 1152921504606846976 x 8 does not fit 64 bits",
            [&] { contract("=xy", many, d); });
    refused("bytes of B: 1152921504606846976 x 8 does not fit 64 bits",
            [&] { contract(",xy->", d, many, d); });
    const input row(data_type::f64, &element, layout({huge}, {0}));
    refused("positions summed over: 1099511627776 x 1099511627776 does not fit 64 bits",
            [&] { contract("=x*y", row, row, d); });
    refused("bytes of A: 9223372036854775807 + 1 does not fit 64 bits",
            [&] { contract("=x", input(data_type::f64, &element, layout({2}, {INT64_MAX})), d); });

    const input far(data_type::f64, &element, layout({2}, {index_t{1} << 61}));
    refused("bytes of A: 2305843009213693953 x 8 does not fit 64 bits",
            [&] { transpose("a=a", far, output(data_type::f64, &element, layout({2}))); });
    refused("bytes of B: 2305843009213693953 x 8 does not fit 64 bits", [&] {
        transpose("a=a", input(data_type::f64, &element, layout({2})),
                  output(data_type::f64, &element, layout({2}, {index_t{1} << 61})));
    });

    // Every algorithm that accepts the contraction can plan the largest extents.
    every_way([&](const contract_options &options) {
        const input largest(data_type::f64, nullptr,
                            layout({huge, (index_t{1} << 20) - 1}, {0, 0}));
        const contraction_plan plan = make_plan("=xy*xy", largest, largest, d, options);
        EXPECT_GE(plan.workspace_size().value, 0);
        EXPECT_EQ(plan.summary().k, huge * ((index_t{1} << 20) - 1));
        EXPECT_FALSE(plan.explain().empty());
    });
    every_way([&](const contract_options &options) { // conversion needs twice the bytes
        const input largest(data_type::bf16, nullptr,
                            layout({huge, (index_t{1} << 22) - 1}, {0, 0}));
        const output result(data_type::f32, nullptr, layout());
        try {
            const contraction_plan plan = make_plan("=xy*xy", largest, largest, result, options);
            EXPECT_GE(plan.workspace_size().value, 0);
        } catch (const error &e) {
            if (e.code() != errc::overflow)
                throw;
        }
    });
}

TEST(Semantics, SizesNearTheLargestCanBePlanned) {
    test_tensor<double> d(extents_t{});
    const auto seen_as = [](extents_t extents, data_type type = data_type::f64) {
        extents_t zeros(extents.size(), 0);
        return input(type, nullptr, layout(std::move(extents), std::move(zeros)));
    };
    const auto planned = [](const char *expression, const input &a, const input &b,
                            const output &result, const contract_options &options) {
        const contraction_plan plan = make_plan(expression, a, b, result, options);
        EXPECT_GE(plan.workspace_size().value, 0);
        EXPECT_FALSE(plan.explain().empty());
        return plan;
    };
    every_way([&](const contract_options &options) {
        // Bytes that fit 64 bits, but not when they are rounded up to whole cache lines.
        const input most = seen_as({(index_t{1} << 60) - 1});
        planned("=x*x", most, most, d, options);
        // More terms than any tensor has elements.
        planned("=x*y", seen_as({huge}), seen_as({index_t{1} << 20}), d, options);
    });
    every_way([&](const contract_options &options) {
        // The bytes of all tensors together do not fit 64 bits.
        const index_t much = index_t{1} << 59;
        const output result(data_type::f64, nullptr, layout({much}));
        const contraction_plan plan =
            planned("x=x*x", seen_as({much}), seen_as({much}), result, options);
        EXPECT_NE(plan.explain().find(" 8388608.0 TiB of tensors"), std::string::npos)
            << plan.explain();
    });
    every_way([&](const contract_options &options) {
        // If one extent is 0, the others may have any value.
        const input a(data_type::f64, nullptr, layout({0, huge, huge, huge}));
        const input b(data_type::f64, nullptr, layout({huge, huge, 0}));
        const output result(data_type::f64, nullptr, layout({0, 0}));
        const contraction_plan plan = planned("mn=mkli*kln", a, b, result, options);
        EXPECT_EQ(plan.summary().flops, 0);
    });
}

/// Modes are fused for A, B and D. The strides of a C that is not read must not matter.
TEST(Semantics, FarStridesOfAnUnreadC) {
    every_way([](const contract_options &options) {
        test_tensor<double> a({5, 7, 2, 64}), b({7, 3, 2, 64}), d({5, 3, 2, 64});
        a.fill(1);
        b.fill(2);
        d.poison();
        const input c(data_type::f64, nullptr,
                      layout({5, 3, 2, 64}, {64, 320, index_t{1} << 58, 1}));
        contract("mnij=mkij*knij", a, b, c, d, options);
        for (index_t i = 0; i < 2; ++i)
            for (index_t j = 0; j < 64; ++j)
                for (index_t m = 0; m < 5; ++m)
                    for (index_t n = 0; n < 3; ++n)
                        ASSERT_EQ(d(m, n, i, j),
                                  sum(7, [&](index_t k) { return a(m, k, i, j) * b(k, n, i, j); }));
    });
}

} // namespace
} // namespace tenfold::testing
