// Tests the section "Types" of docs/semantics.md: the row on transposes.
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

} // namespace
} // namespace tenfold::testing
