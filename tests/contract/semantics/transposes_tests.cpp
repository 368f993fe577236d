// Tests the section "Types" of docs/semantics.md: the row on transposes.
#include <cstdint>
#include <vector>

#include <tenfold/transpose.hpp>

#include "ways.hpp"

namespace tenfold::testing {
namespace {

template <class From, class To> void convert(int threads) {
    SCOPED_TRACE(std::string(name(data_type_of<From>)) + " to " +
                 std::string(name(data_type_of<To>)));
    test_tensor<From> a({19, 7, 33});
    test_tensor<To> b({33, 19, 7}), before({33, 19, 7});
    a.fill(1);
    before.fill(2);
    b.poison();
    transpose("cab=abc", a, b, {.threads = threads});
    expect_equal(b, [&](index_t k, index_t i, index_t j) { return exact_t<To>(a(i, j, k)); });

    b.fill(2);
    transpose("cab=abc", a, b, {.alpha = 3.0, .beta = -2.0, .threads = threads});
    expect_equal(b, [&](index_t k, index_t i, index_t j) {
        return 3.0 * exact_t<To>(a(i, j, k)) - 2.0 * before(k, i, j);
    });
}

TEST(Semantics, MixedPrecisionTransposes) {
    for (const int threads : {1, 2}) {
        convert<float, double>(threads);
        convert<double, float>(threads);
        convert<c32, c64>(threads);
        convert<c64, c32>(threads);
        convert<bf16, float>(threads);
        convert<f16, float>(threads);
    }
    // Rounds to nearest: the first value is exact in f32, the second is nearest to the first, the
    // third to 1.
    test_tensor<double> wide({3, 1});
    test_tensor<float> narrow({1, 3});
    wide.element(0, 0) = 1 + 0x1p-23;
    wide.element(1, 0) = 1 + 0x1p-23 + 0x1p-25;
    wide.element(2, 0) = 1 + 0x1p-25;
    narrow.poison();
    transpose("ba=ab", wide, narrow);
    EXPECT_EQ(narrow(0, 0), 1 + 0x1p-23);
    EXPECT_EQ(narrow(0, 1), 1 + 0x1p-23);
    EXPECT_EQ(narrow(0, 2), 1.0);

    using enum data_type;
    const auto convertible = [](data_type from, data_type to) {
        return is_complex(to) || !is_complex(from);
    };
    const layout shape({2, 2});
    for (const data_type from : all_data_types)
        for (const data_type to : all_data_types)
            if (!convertible(from, to) && !(from == to && size_of(from) == 2)) {
                SCOPED_TRACE(std::string(name(from)) + " to " + std::string(name(to)));
                const std::array swap{1, 0};
                try {
                    transpose_plan(swap, from, shape, to, shape);
                    ADD_FAILURE() << "accepted";
                } catch (const error &e) {
                    EXPECT_EQ(name(e.code()), name(errc::type_mismatch)) << e.what();
                }
            }
}

/// b(j, i) = 3 a(i, j) - 2 b(j, i), modulo what T holds.
template <class T> void combine_integers(int threads) {
    SCOPED_TRACE(name(data_type_of<T>));
    constexpr index_t rows = 37, columns = 130;
    std::vector<T> a, b;
    for (index_t i = 0; i < rows * columns; ++i) {
        a.push_back(static_cast<T>(i * 2654435761));
        b.push_back(static_cast<T>(i * 40503 + 1));
    }
    const std::vector<T> before = b;
    const tensor_view<const T> from(a.data(), {rows, columns});
    const tensor_view<T> to(b.data(), {columns, rows});
    const auto expect = [&](std::uint32_t alpha, std::uint32_t beta) {
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j) {
                const auto at = static_cast<std::size_t>(j + i * columns);
                const auto x =
                    static_cast<std::uint32_t>(a[static_cast<std::size_t>(i + j * rows)]);
                ASSERT_EQ(b[at],
                          static_cast<T>(alpha * x + beta * static_cast<std::uint32_t>(before[at])))
                    << i << " " << j;
            }
    };
    transpose("ba=ab", from, to, {.alpha = 3.0, .beta = -2.0, .threads = threads});
    expect(3, static_cast<std::uint32_t>(-2));
    transpose("ba=ab", from, to, {.threads = threads});
    expect(1, 0);
}

TEST(Semantics, TransposesOfIntegers) {
    for (const int threads : {1, 2}) {
        combine_integers<std::int8_t>(threads);
        combine_integers<std::uint8_t>(threads);
        combine_integers<std::int32_t>(threads);
    }
    using enum data_type;
    const std::array swap{1, 0};
    const layout shape({2, 2});
    for (const auto &[from, to] : {std::pair(i8, u8), {i8, i32}, {i32, f64}, {f32, i8}, {u8, c64}})
        try {
            transpose_plan(swap, from, shape, to, shape);
            ADD_FAILURE() << "accepted " << name(from) << " to " << name(to);
        } catch (const error &e) {
            EXPECT_EQ(e.code(), errc::type_mismatch);
            EXPECT_EQ(std::string(e.what()), "A is " + std::string(name(from)) + ", B is " +
                                                 std::string(name(to)) +
                                                 "; integers are only moved to the same type");
        }
    const transpose_plan plan(swap, i8, shape, i8, shape);
    const std::array<std::int8_t, 4> a{1, 2, 3, 4};
    std::array<std::int8_t, 4> b{5, 6, 7, 8};
    EXPECT_EQ(plan.execute(0.5, a.data(), 0.0, b.data()).code(), errc::type_mismatch);
    EXPECT_EQ(plan.execute(1.0, a.data(), 0x1p31, b.data()).code(), errc::type_mismatch);
    EXPECT_EQ(b[0], 5) << "written";
}

} // namespace
} // namespace tenfold::testing
