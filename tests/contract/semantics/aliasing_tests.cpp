// Tests the section "C and D" of docs/semantics.md.
#include "ways.hpp"

namespace tenfold::testing {
namespace {

/// The part of `whole` that begins at element `first`.
template <class T> output part(test_tensor<T> &whole, index_t first, layout shape) {
    return {data_type_of<T>, whole.data() + first, std::move(shape)};
}

TEST(Semantics, SeparateOutput) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> a({37, 29}), b({29, 31}), c({37, 31}, {32, -1}), d({37, 31}, {2, 75});
            a.fill(1);
            b.fill(2);
            c.fill(3); // its destructor checks that C does not change
            d.poison();
            contract("ab=ak*kb", a, b, c, d, scaled(options, 2.0, 3.0));
            const auto expected = [&](index_t i, index_t j) {
                return 2.0 * sum(29, [&](index_t k) { return a(i, k) * b(k, j); }) + 3.0 * c(i, j);
            };
            expect_equal(d, expected);
            d.poison(); // a second time: execution has not copied D into C
            contract("ab=ak*kb", a, b, c, d, scaled(options, 2.0, 3.0));
            expect_equal(d, expected);
        });
    });
}

TEST(Semantics, OutputInPlace) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            const layout shape({17, 4, 11}, {1, 200, -18});
            test_tensor<T> a({11, 13, 4}), b({4, 13, 17}), d(shape), before(shape);
            a.fill(1);
            b.fill(2);
            before.fill(3);
            const auto expected = [&](index_t j, index_t n, index_t i) {
                return 2.0 * sum(13, [&](index_t k) { return a(i, k, n) * b(n, k, j); }) -
                       3.0 * before(j, n, i);
            };
            d.fill(3);
            contract("bna=akn*nkb", a, b, d, scaled(options, 2.0, -3.0));
            expect_equal(d, expected);
            d.fill(3); // the operand is passed twice
            contract("bna=akn*nkb", a, b, d, d, scaled(options, 2.0, -3.0));
            expect_equal(d, expected);
        });
    });
}

TEST(Semantics, PartialOverlapOfCAndDIsRefused) {
    const std::string message = "C shares elements with the output";
    test_tensor<double> a({3, 3}), whole({20});
    a.fill(1);
    whole.fill(2);
    const auto call = [&](index_t first_c, const layout &c, index_t first_d, const layout &d,
                          double beta) {
        return [&, first_c, first_d, beta, c, d] {
            contract("ab=ak*kb", a, a, part(whole, first_c, c), part(whole, first_d, d),
                     {.beta = beta});
        };
    };
    const layout dense({3, 3}), transposed({3, 3}, {3, 1}), spread({3, 3}, {2, 6});
    expect_refused(errc::overlap, message, whole, call(0, dense, 1, dense, 1.0));
    expect_refused(errc::overlap, message, whole, call(8, dense, 0, dense, 1.0)); // one element
    expect_refused(errc::overlap, message, whole, call(0, transposed, 0, dense, 1.0));
    expect_refused(errc::overlap, message, whole, call(0, dense, 0, spread, -1.0));
    expect_refused(errc::overlap, message, whole, call(0, layout({3, 3}, {0, 0}), 0, dense, 1.0));
    test_tensor<c32> complex_a({3, 3}), complex_whole({20});
    complex_a.fill(1);
    complex_whole.fill(2);
    expect_refused(errc::overlap, message, complex_whole, [&] { // half of an element
        auto *shifted = reinterpret_cast<float *>(complex_whole.data()) + 1;
        contract("ab=ak*kb", complex_a, complex_a, input(data_type::c32, shifted, dense),
                 part(complex_whole, 0, dense), {.beta = 1.0});
    });

    // Operands that are not read may overlap D.
    call(0, dense, 1, dense, 0.0)();
    for (index_t i = 0; i < 3; ++i)
        for (index_t j = 0; j < 3; ++j)
            EXPECT_EQ(whole(1 + i + 3 * j), sum(3, [&](index_t k) { return a(i, k) * a(k, j); }));
}

TEST(Semantics, OutputOverlappingAnInputIsRefused) {
    test_tensor<double> other({3, 3}), whole({20});
    other.fill(1);
    whole.fill(2);
    const layout dense({3, 3});
    for (const index_t first : {0, 1, 8}) { // all, some, one element
        SCOPED_TRACE(first);
        expect_refused(errc::overlap, "A shares elements with the output", whole, [&] {
            contract("ab=ak*kb", part(whole, first, dense), other, part(whole, 0, dense));
        });
        expect_refused(errc::overlap, "B shares elements with the output", whole, [&] {
            contract("ab=ak*kb", other, part(whole, first, dense), part(whole, 0, dense));
        });
        expect_refused(errc::overlap, "A shares elements with the output", whole, [&] {
            contract("ab=ba", part(whole, first, dense), part(whole, 0, dense));
        });
    }
    // Refused whether in place or not, although each element would only be read and written by
    // itself here.
    expect_refused(errc::overlap, "A shares elements with the output", whole,
                   [&] { contract("ab=ab", part(whole, 0, dense), part(whole, 0, dense)); });
    expect_refused(errc::overlap, "A shares elements with the output", whole, [&] {
        const layout backwards({3, 3}, {-1, -3});
        contract("ab=ab", part(whole, 16, backwards), part(whole, 0, dense));
    });

    // Operands that are not read may overlap D.
    contract("ab=ak*kb", part(whole, 1, dense), part(whole, 2, dense), part(whole, 0, dense),
             {.alpha = 0.0, .beta = 3.0});
    test_tensor<double> before({20});
    before.fill(2);
    expect_equal(whole, [&](index_t i) { return (i < 9 ? 3.0 : 1.0) * before(i); });
}

TEST(Semantics, OutputOverlappingItselfIsRefused) {
    test_tensor<double> a({3, 3}), whole({20});
    a.fill(1);
    whole.fill(2);
    const auto plan = [&](layout d) {
        return [&, d] { (void)make_plan("ab=ab", a, {data_type::f64, nullptr, d}); };
    };
    expect_refused(errc::overlap, "D overlaps itself: extents (3, 3), strides (1, 0)", whole,
                   plan(layout({3, 3}, {1, 0})));
    expect_refused(errc::overlap, "D overlaps itself: extents (3, 3), strides (1, 2)", whole,
                   plan(layout({3, 3}, {1, 2})));
    expect_refused(errc::overlap, "D overlaps itself: extents (3, 3), strides (1, 0)", whole, [&] {
        contract("ab=ab", a, part(whole, 0, layout({3, 3}, {1, 0})));
    });
    // Positions are 2 i + 3 j: i = 3, j = 0 collides with i = 0, j = 2. With one i less nothing
    // collides, although the modes' ranges overlap.
    test_tensor<double> taller({4, 3});
    taller.fill(3);
    expect_refused(errc::overlap, "D overlaps itself: extents (4, 3), strides (2, 3)", whole, [&] {
        contract("ab=ab", taller, part(whole, 0, layout({4, 3}, {2, 3})));
    });
    EXPECT_NO_THROW(plan(layout({3, 3}, {2, 3}))());
    EXPECT_NO_THROW(plan(layout({3, 3}, {-2, 3}))());
}

TEST(Semantics, InterleavedTensorsAreAllowed) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            // Element 4 i + t of one array is element i of tensor t: A, B, C and D.
            test_tensor<T> whole({4 * 13 * 13}), before({4 * 13 * 13});
            whole.fill(1);
            before.fill(1);
            const layout shape({13, 13}, {4, 4 * 13});
            contract("ab=ak*kb", part(whole, 0, shape), part(whole, 1, shape),
                     part(whole, 2, shape), part(whole, 3, shape), scaled(options, 2.0, 3.0));
            const auto old = [&](index_t t, index_t i, index_t j) {
                return before(4 * (i + 13 * j) + t);
            };
            expect_equal(whole, [&](index_t at) -> exact_t<T> {
                const index_t i = at / 4 % 13, j = at / 4 / 13;
                if (at % 4 != 3)
                    return before(at);
                return 2.0 * sum(13, [&](index_t k) { return old(0, i, k) * old(1, k, j); }) +
                       3.0 * old(2, i, j);
            });
        });
        every_way([](const contract_options &options) {
            // The halves of a matrix, side by side and one above the other.
            for (const bool above : {false, true}) {
                test_tensor<T> whole({26, 26}), before({26, 26});
                whole.fill(1);
                before.fill(1);
                const index_t rows = above ? 13 : 26, columns = above ? 26 : 13;
                const layout half({rows, columns}, {1, 26});
                contract("ab=ab", part(whole, 0, half), part(whole, above ? 13 : 26 * 13, half),
                         options);
                expect_equal(whole, [&](index_t i, index_t j) {
                    return above ? before(i % 13, j) : before(i, j % 13);
                });
            }
        });
    });
}

TEST(Semantics, InputsMayOverlap) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> whole({40, 31}), d({31, 31});
            whole.fill(1);
            d.poison();
            contract("ab=ka*kb", whole, whole, d, options); // A is B
            expect_equal(d, [&](index_t i, index_t j) {
                return sum(40, [&](index_t k) { return whole(k, i) * whole(k, j); });
            });
            d.poison(); // A is in rows 0 .. 28 and B in 11 .. 39; C is rows 5 .. 35, transposed
            const layout rows({29, 31}, {1, 40});
            contract("ab=ka*kb", part(whole, 0, rows), part(whole, 11, rows),
                     part(whole, 5, layout({31, 31}, {40, 1})), d, scaled(options, 2.0, 3.0));
            expect_equal(d, [&](index_t i, index_t j) {
                return 2.0 * sum(29, [&](index_t k) { return whole(k, i) * whole(11 + k, j); }) +
                       3.0 * whole(5 + j, i);
            });
        });
    });
}

} // namespace
} // namespace tenfold::testing
