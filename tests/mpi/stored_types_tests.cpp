// Distributed tensors of the types that are not multiplied as they are.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tenfold/dist_files.hpp>
#include <tenfold/dist_interchange.hpp>
#include <tenfold/dist_operations.hpp>

#include "base/scalars.hpp"
#include "mpi/files.hpp"
#include "mpi/stored_types.hpp"

namespace tenfold::testing {
namespace {

template <class T> class DistStored : public ::testing::Test {};
using stored_types = ::testing::Types<bf16, f16, std::int8_t, std::uint8_t, std::int32_t>;
TYPED_TEST_SUITE(DistStored, stored_types);

TYPED_TEST(DistStored, IsFilledMovedReadAndWritten) {
    for (const int test_case : cases_per_rank(60)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        const auto from = random_distribution(random, extents, ranks().size());
        const auto to = random_distribution(random, extents, ranks().size());
        const auto expected = stored_values<TypeParam, double>(extents, test_case);
        dist_tensor<TypeParam> a(ranks(), extents, from);
        EXPECT_EQ(a.norm(), 0.0);
        fill_stored(a, test_case);
        EXPECT_TRUE(has_stored(a, expected));
        const dist_tensor<TypeParam> b = a.redistribute(to);
        EXPECT_TRUE(has_stored(b, expected));
        // Rank 0 reads all, and writes it into another tensor.
        slice all{extents_t(extents.size(), 0), extents, ranks().rank() != 0};
        const tensor<TypeParam> whole = b.read(all);
        dist_tensor<TypeParam> c(ranks(), extents, from);
        c.write(all, whole);
        EXPECT_TRUE(has_stored(c, expected));
    }
}

TYPED_TEST(DistStored, HasNormsAndSums) {
    const extents_t extents{9, 7, 5};
    dist_tensor<TypeParam> a(ranks(), extents);
    fill_stored(a, 4);
    const auto values = stored_values<TypeParam, double>(extents, 4);
    double sum = 0, magnitudes = 0, squares = 0;
    for (index_t i = 0; i < values.size(); ++i) {
        sum += values.data()[i];
        magnitudes += std::abs(values.data()[i]);
        squares += values.data()[i] * values.data()[i];
    }
    EXPECT_EQ(a.norm(), std::sqrt(squares));
    EXPECT_EQ(norm1(a), magnitudes);
    const auto as_element = [](double value) {
        if constexpr (element_traits<TypeParam>::is_integer)
            return static_cast<TypeParam>(static_cast<std::int64_t>(value));
        else
            return static_cast<TypeParam>(static_cast<float>(value));
    };
    EXPECT_EQ(base::real_value(tenfold::sum(a)), base::real_value(as_element(sum)));
    EXPECT_EQ(base::real_value(dot(a, a)), base::real_value(as_element(squares)));
    a.fill(as_element(3));
    EXPECT_EQ(norm1(a), 3.0 * 9 * 7 * 5);
}

TYPED_TEST(DistStored, IsCopiedCombinedAndMapped) {
    using T = TypeParam;
    for (const int test_case : cases_per_rank(20)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 3)));
        const auto some = [&] { return random_distribution(random, extents, ranks().size()); };
        dist_tensor<T> a(ranks(), extents, some()), b(ranks(), extents, some()),
            d(ranks(), extents, some());
        fill_stored(a, 1);
        fill_stored(b, 2);
        const auto x = stored_values<T, double>(extents, 1),
                   y = stored_values<T, double>(extents, 2);
        const auto expect = [&](double of_x, double of_y, double number) {
            tensor<double> all(extents);
            for (index_t i = 0; i < all.size(); ++i)
                all.data()[i] = of_x * x.data()[i] + of_y * y.data()[i] + number;
            EXPECT_TRUE(has_stored(d, all));
        };
        copy(a, d);
        expect(1, 0, 0);
        combine({{2, a}, {3, b}}, d);
        expect(2, 3, 0);
        axpy(2, b, d);
        expect(2, 5, 0);
        scale(1, d);
        expect(2, 5, 0);
        map_elements(
            d,
            [](position_view, T one, T other) {
                return base::real_value(one) + 2 * base::real_value(other) + 9;
            },
            a, b);
        expect(1, 2, 9);
    }
}

/// bf16 and f16 are added in f32 and rounded once; integers are modulo what they hold.
TYPED_TEST(DistStored, IsRoundedOnceInSums) {
    using T = TypeParam;
    dist_tensor<T> a(ranks(), {5}), d(ranks(), {5});
    const auto make = [](double value) { return base::round_once<T>(value); };
    a.fill(make(100));
    d.fill(make(100));
    if constexpr (element_traits<T>::is_integer) {
        combine({{3, a}, {1, d}}, d);
        const auto expected = static_cast<T>(std::uint32_t{400});
        EXPECT_EQ(largest(d, 1).front().value, expected);
        add_elements(d, ranks().rank() == 0 ? std::vector<index_t>{2} : std::vector<index_t>{},
                     ranks().rank() == 0 ? std::vector<T>{100} : std::vector<T>{});
        EXPECT_EQ(d.read({2}, {1}).data()[0],
                  static_cast<T>(static_cast<std::uint32_t>(expected) + 100));
    } else {
        combine({{1.0F / 3, a}, {1, d}}, d);
        EXPECT_EQ(largest(d, 1).front().value.bits, T(100.0F + 1.0F / 3 * 100.0F).bits);
    }
}

TYPED_TEST(DistStored, HasElementsByListsBoxesAndExtremes) {
    using T = TypeParam;
    const extents_t extents{6, 5};
    dist_tensor<T> a(ranks(), extents), b(ranks(), {5, 6});
    fill_stored(a, 3);
    const auto whole = stored_values<T, double>(extents, 3);
    const auto [least, greatest] = std::minmax_element(whole.data(), whole.data() + whole.size());
    EXPECT_EQ(base::real_value(minimum(a).value), *least);
    EXPECT_EQ(base::real_value(maximum(a).value), *greatest);
    EXPECT_EQ(norm_max(a), std::max(std::abs(*least), std::abs(*greatest)));
    EXPECT_EQ(largest(a, 40).size(), 30U);

    const std::vector<index_t> places{4, 1, 0, 3};
    std::vector<T> two(2);
    read_elements(a, places, two);
    EXPECT_EQ(base::real_value(two[0]), whole(4, 1));
    EXPECT_EQ(base::real_value(two[1]), whole(0, 3));
    const bool is_first = ranks().rank() == 0;
    const std::vector<index_t> here = is_first ? places : std::vector<index_t>{};
    const std::vector<T> ones(is_first ? 2 : 0, static_cast<T>(1.0F));
    add_elements(a, here, ones);
    read_elements(a, places, two);
    EXPECT_EQ(base::real_value(two[1]), whole(0, 3) + 1);
    write_elements(a, here, ones);
    dist_tensor<T> number(ranks(), {});
    number.fill(static_cast<T>(7.0F));
    EXPECT_EQ(base::real_value(scalar_of(number)), 7);

    fill_stored(a, 3);
    tensor<T> all(extents);
    std::vector<dist_box<T>> boxes;
    if (is_first)
        boxes.push_back({{{0, 0}, extents}, all});
    export_boxes(a, std::span<const dist_box<T>>(boxes));
    a.fill(T{});
    std::vector<dist_box<const T>> sources;
    if (is_first)
        sources.push_back({{{0, 0}, extents}, std::as_const(all)});
    import_boxes(std::span<const dist_box<const T>>(sources), a);
    EXPECT_TRUE(has_stored(a, whole));

    const slice of_a{{1, 0}, {4, 5}}, of_b{{0, 2}, {5, 4}};
    transpose("ba=ab", a, of_a, b, of_b);
    EXPECT_EQ(base::real_value(b.read({3, 4}, {1, 1}).data()[0]), whole(3, 3));
    const auto twice = [&] { transpose("ba=ab", a, of_a, b, of_b, {.alpha = 2.0}); };
    if constexpr (std::is_same_v<T, std::int32_t>) {
        twice();
        EXPECT_EQ(base::real_value(b.read({3, 4}, {1, 1}).data()[0]), 2 * whole(3, 3));
    } else {
        const failure refused = failure_of(twice);
        EXPECT_EQ(refused.code, errc::type_mismatch);
        EXPECT_NE(refused.message.find("are moved as they are: alpha is 1, and beta 0"),
                  std::string::npos)
            << refused.message;
    }
}

TEST(DistStored, RandomNumbersAreThoseOfDoublePrecisionRounded) {
    const extents_t extents{4, 7};
    dist_tensor<double> exact(ranks(), extents);
    dist_tensor<bf16> rounded(ranks(), extents);
    dist_tensor<f16> halves(ranks(), extents);
    fill_uniform(exact, 5, -2, 3);
    fill_uniform(rounded, 5, -2, 3);
    fill_normal(halves, 5);
    for (index_t i = 0; i < exact.local_slice().size(); ++i)
        EXPECT_EQ(rounded.data()[i].bits, base::round_once<bf16>(exact.data()[i]).bits);
    fill_normal(exact, 5);
    for (index_t i = 0; i < exact.local_slice().size(); ++i)
        EXPECT_EQ(halves.data()[i].bits, base::round_once<f16>(exact.data()[i]).bits);
}

TYPED_TEST(DistStored, IsSavedAndLoaded) {
    const shared_folder folder;
    const extents_t extents{6, 5, 4};
    dist_tensor<TypeParam> a(ranks(), extents), other(ranks(), extents);
    fill_stored(a, 5);
    const auto expected = stored_values<TypeParam, double>(extents, 5);
    const std::string checkpoint = folder.file("a.checkpoint"), npy = folder.file("a.npy");
    save(checkpoint, a, {.block = bytes(64)});
    EXPECT_EQ(stored_tensors(ranks(), checkpoint),
              (std::vector<stored_tensor>{{"", data_type_of<TypeParam>, extents}}));
    load(checkpoint, other);
    EXPECT_TRUE(has_stored(other, expected));
    save_npy(npy, a, {.block = bytes(48)});
    dist_tensor<TypeParam> third(ranks(), extents);
    load_npy(npy, third);
    EXPECT_TRUE(has_stored(third, expected));
    if (!is_integer(data_type_of<TypeParam>)) {
        EXPECT_EQ(stored_npy(ranks(), npy).type, data_type_of<TypeParam>);
    }
    dist_tensor<float> wrong(ranks(), extents);
    EXPECT_EQ(failure_of([&] { load(checkpoint, wrong); }).code, errc::type_mismatch);
}

} // namespace
} // namespace tenfold::testing
