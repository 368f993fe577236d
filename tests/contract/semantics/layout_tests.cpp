// Tests the section "Layout" of docs/semantics.md.
#include "ways.hpp"

namespace tenfold::testing {
namespace {

/// Layouts for "bman=ankm*mkb", with batch labels n and m.
struct places {
    layout a, b, c, d; ///< extents (11, 3, 13, 4), (4, 13, 17), (17, 4, 11, 3)
};

template <class T>
void contract_at(const places &at, const contract_options &options, std::size_t offset = 0) {
    test_tensor<T> a(at.a, offset), b(at.b, offset), c(at.c, offset), d(at.d, offset);
    a.fill(1);
    b.fill(2);
    c.fill(3);
    d.poison();
    contract("bman=ankm*mkb", a, b, c, d, scaled(options, 2.0, -1.0));
    expect_equal(d, [&](index_t j, index_t m, index_t i, index_t n) {
        return 2.0 * sum(13, [&](index_t k) { return a(i, n, k, m) * b(m, k, j); }) - c(j, m, i, n);
    });
}

/// "ab=ak*kb", 37x31x29, which is one GEMM if the strides allow it.
template <class T>
void multiply_at(const places &at, const contract_options &options, std::size_t offset = 0) {
    test_tensor<T> a(at.a, offset), b(at.b, offset), c(at.c, offset), d(at.d, offset);
    a.fill(1);
    b.fill(2);
    c.fill(3);
    d.poison();
    contract("ab=ak*kb", a, b, c, d, scaled(options, 2.0, -1.0));
    expect_equal(d, [&](index_t i, index_t j) {
        return 2.0 * sum(29, [&](index_t k) { return a(i, k) * b(k, j); }) - c(i, j);
    });
}

const extents_t a4{11, 3, 13, 4}, b3{4, 13, 17}, d4{17, 4, 11, 3};
const extents_t a2{37, 29}, b2{29, 31}, d2{37, 31};

TEST(Semantics, ColumnMajorByDefault) {
    EXPECT_EQ(layout({3, 4, 5}).strides(), (extents_t{1, 3, 12}));
    EXPECT_EQ(layout::row_major({3, 4, 5}).strides(), (extents_t{20, 5, 1}));
    tensor<double> t({3, 4, 5});
    EXPECT_EQ(&t(2, 1, 3) - t.data(), 2 + 3 * 1 + 12 * 3);

    every_way([](const contract_options &options) {
        // Compares the raw memory.
        std::array<double, 6> a{1, 2, 3, 4, 5, 6}; // 2 x 3
        std::array<double, 12> b{};                // 3 x 4
        for (std::size_t i = 0; i < b.size(); ++i)
            b[i] = static_cast<double>(100 + i * i);
        std::array<double, 8> column_major{}, row_major{}; // 2 x 4
        const tensor_view<const double> av(a.data(), {2, 3}), bv(b.data(), {3, 4});
        contract("ab=ak*kb", av, bv, tensor_view<double>(column_major.data(), {2, 4}), options);
        contract("ab=ak*kb", av, bv,
                 tensor_view<double>(row_major.data(), layout::row_major({2, 4})), options);
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < 4; ++j) {
                double expected = 0;
                for (std::size_t k = 0; k < 3; ++k)
                    expected += a[i + 2 * k] * b[k + 3 * j];
                EXPECT_EQ(column_major[i + 2 * j], expected);
                EXPECT_EQ(row_major[4 * i + j], expected);
            }
    });
}

TEST(Semantics, AnyPositiveStrides) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            // Any order without a stride-1 mode: multiples of 2, 3, 5 and 7.
            contract_at<T>({layout(a4, {2 * 4 * 13, 2 * 4 * 13 * 11 + 6, 2 * 4, 2}),
                            layout(b3, {3 * 17 * 13, 3, 3 * 13}),
                            layout(d4, {5 * 11, 5 * 11 * 17, 5, 5 * 11 * 17 * 4 + 1}),
                            layout(d4, {7 * 3 * 11 * 4, 7 * 3 * 11, 7 * 3, 7})},
                           options);
            // One stride-1 mode, then gaps.
            contract_at<T>({layout(a4, {1, 12, 40, 530}), layout(b3, {18, 75, 1}),
                            layout(d4, {1, 18, 73, 805}), layout(d4, {1, 20, 81, 900})},
                           options);
            multiply_at<T>({layout(a2, {1, 40}), layout(b2, {32, 1}), layout(d2, {31, 1}),
                            layout(d2, {1, 38})},
                           options);
            multiply_at<T>({layout(a2, {3, 120}), layout(b2, {1, 29}), layout(d2, {2, 80}),
                            layout(d2, {64, 2})},
                           options);
        });
    });
}

TEST(Semantics, NegativeStrides) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            contract_at<T>({layout(a4, {-1, 11, -33, 429}), layout(b3, {1, -4, -52}),
                            layout(d4, {-1, -17, -68, -748}), layout(d4, {1, -17, 68, -748})},
                           options);
            multiply_at<T>({layout(a2, {-1, -37}), layout(b2, {-31, -1}), layout(d2, {-1, -37}),
                            layout(d2, {-1, -37})},
                           options);
            multiply_at<T>({layout(a2, {1, -37}), layout(b2, {-1, 29}), layout(d2, {1, 37}),
                            layout(d2, {-1, 40})},
                           options);
        });
    });
}

TEST(Semantics, ZeroStridesInInputs) {
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            contract_at<T>({layout(a4, {1, 0, 11, 0}), layout(b3, {0, 1, 13}),
                            layout(d4, {0, 1, 4, 0}), layout(d4)},
                           options);
            multiply_at<T>({layout(a2, {0, 1}), layout(b2, {1, 0}), layout(d2, {0, 0}), layout(d2)},
                           options);
            multiply_at<T>({layout(a2, {1, 0}), layout(b2, {0, 0}), layout(d2, {1, 0}), layout(d2)},
                           options);
        });
        every_way([](const contract_options &options) { // one input
            test_tensor<T> a({37, 31}, {0, 1}), d({31, 37});
            a.fill(1);
            d.poison();
            contract("ba=ab", a, d, options);
            expect_equal(d, [&](index_t j, index_t i) { return a(i, j); });
        });
    });
}

TEST(Semantics, SubTensors) {
    EXPECT_EQ(layout::within({3, 4, 5}, {7, 4, 6}).strides(), (extents_t{1, 7, 28}));
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            contract_at<T>({layout::within(a4, {12, 3, 15, 6}), layout::within(b3, {4, 14, 17}),
                            layout::within(d4, {18, 6, 11, 3}), layout::within(d4, {17, 5, 12, 4})},
                           options);
            multiply_at<T>({layout::within(a2, {40, 30}), layout::within(b2, {29, 31}),
                            layout::within(d2, {37, 50}), layout::within(d2, {38, 31})},
                           options);
        });
        every_way([](const contract_options &options) {
            // Blocks of larger tensors: NaN surrounds A and B, and D's surroundings must not
            // change.
            test_tensor<T> whole_a({20, 23}), whole_b({25, 21}), whole_d({30, 26}),
                before({30, 26});
            whole_a.poison();
            whole_b.poison();
            whole_d.fill(3);
            before.fill(3);
            for (index_t k = 0; k < 19; ++k) {
                for (index_t i = 0; i < 17; ++i)
                    whole_a.element(2 + i, 3 + k) = rounded<T>(integer_at({i, k}, 1));
                for (index_t j = 0; j < 13; ++j)
                    whole_b.element(5 + k, 7 + j) = rounded<T>(integer_at({k, j}, 2));
            }
            const auto view = [](test_tensor<T> &t) { return tensor_view<T>(t.data(), t.shape()); };
            contract("ba=ak*kb", view(whole_a).block({2, 3}, {17, 19}),
                     view(whole_b).block({5, 7}, {19, 13}), view(whole_d).block({11, 8}, {13, 17}),
                     scaled(options, 1.0, 2.0));
            expect_equal(whole_d, [&](index_t x, index_t y) -> exact_t<T> {
                const index_t j = x - 11, i = y - 8;
                if (i < 0 || i >= 17 || j < 0 || j >= 13)
                    return before(x, y);
                return sum(19,
                           [&](index_t k) {
                               return whole_a(2 + i, 3 + k) * whole_b(5 + k, 7 + j);
                           }) +
                       2.0 * before(x, y);
            });
        });
    });
}

TEST(Semantics, ElementAlignedAddresses) {
    every_type([]<class T>(tag<T>) {
        for (const std::size_t elements : {1U, 3U})
            every_way([&](const contract_options &options) {
                const std::size_t offset = elements * alignof(T); // c32 and c64: of a part
                contract_at<T>({layout(a4), layout(b3), layout(d4), layout(d4)}, options, offset);
                multiply_at<T>({layout(a2), layout(b2), layout(d2), layout(d2)}, options, offset);
                multiply_at<T>({layout(a2, {29, 1}), layout(b2, {31, 1}), layout(d2, {31, 1}),
                                layout(d2, {31, 1})},
                               options, offset);
            });
    });
}

} // namespace
} // namespace tenfold::testing
