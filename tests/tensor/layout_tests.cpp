// Tests layouts, views and tensors: the positions of elements, and which layouts are refused.
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/error.hpp>
#include <tenfold/operand.hpp>
#include <tenfold/tensor.hpp>

#include "support/random.hpp"

namespace tenfold {
namespace {

constexpr index_t largest = INT64_MAX;

void expect_error(const std::function<void()> &action, errc code, const std::string &message) {
    try {
        action();
        FAIL() << "accepted; expected: " << message;
    } catch (const error &e) {
        EXPECT_EQ(e.code(), code);
        EXPECT_EQ(e.what(), message);
    }
}

TEST(Layout, bare_extents_are_column_major) {
    const layout shape({3, 4, 5});
    EXPECT_EQ(shape.strides(), (extents_t{1, 3, 12}));
    EXPECT_EQ(shape.order(), 3);
    EXPECT_EQ(shape.extent(1), 4);
    EXPECT_EQ(shape.stride(2), 12);
    EXPECT_EQ(shape.size(), 60);
    EXPECT_EQ(shape.lowest(), 0);
    EXPECT_EQ(shape.highest(), 59);
    EXPECT_FALSE(shape.empty());
    EXPECT_FALSE(shape.overlaps_itself());
}

TEST(Layout, row_major) {
    const layout shape = layout::row_major({3, 4, 5});
    EXPECT_EQ(shape.strides(), (extents_t{20, 5, 1}));
    EXPECT_EQ(shape.highest(), 59);
    EXPECT_EQ(layout::row_major({}), layout());
}

TEST(Layout, order_zero_is_one_element) {
    for (const layout &shape : {layout(), layout(extents_t{}), layout({}, {})}) {
        EXPECT_EQ(shape.order(), 0);
        EXPECT_EQ(shape.size(), 1);
        EXPECT_EQ(shape.lowest(), 0);
        EXPECT_EQ(shape.highest(), 0);
        EXPECT_FALSE(shape.empty());
        EXPECT_FALSE(shape.overlaps_itself());
        EXPECT_EQ(shape.offset_of({}), 0);
    }
}

TEST(Layout, empty) {
    const layout shape({3, 0, 5});
    EXPECT_TRUE(shape.empty());
    EXPECT_EQ(shape.size(), 0);
    EXPECT_EQ(shape.lowest(), 0);
    EXPECT_EQ(shape.highest(), 0);
    EXPECT_EQ(layout({0, 5}, {7, -3}).lowest(), 0);
    // No element is placed, so that neither sizes nor strides can be too large.
    EXPECT_EQ(layout({largest, largest, 0}).size(), 0);
    EXPECT_EQ(layout::row_major({0, largest, largest}).size(), 0);
    EXPECT_EQ(layout({largest, 0}, {largest, INT64_MIN}).size(), 0);
    EXPECT_FALSE(layout({largest, 0}, {INT64_MIN, 1}).overlaps_itself());
}

TEST(Layout, strides_of_any_sign) {
    const layout shape({3, 4, 5}, {-1, 0, 10});
    EXPECT_EQ(shape.lowest(), -2);
    EXPECT_EQ(shape.highest(), 40);
    EXPECT_EQ(shape.offset_of(extents_t{2, 3, 4}), 38);
    EXPECT_TRUE(shape.overlaps_itself());
    EXPECT_FALSE(layout({3, 1, 5}, {-1, 0, 10}).overlaps_itself());
}

TEST(Layout, within_larger_extents) {
    const layout shape = layout::within({2, 3, 4}, {5, 6, 7});
    EXPECT_EQ(shape.extents(), (extents_t{2, 3, 4}));
    EXPECT_EQ(shape.strides(), (extents_t{1, 5, 30}));
    EXPECT_EQ(layout::within({5, 6}, {5, 6}), layout({5, 6}));
    EXPECT_TRUE(layout::within({0, 3}, {0, 3}).empty());
    expect_error(
        [] {
            (void)layout::within({2, 7}, {5, 6});
        },
        errc::extent_mismatch, "mode 1: extent 7 does not fit into outer extent 6");
    expect_error(
        [] {
            (void)layout::within({2}, {5, 6});
        },
        errc::order_mismatch, "1 extents but 2 outer extents");
    expect_error([] { (void)layout::within({-2}, {5}); }, errc::invalid_argument,
                 "mode 0 has extent -2; extents are 0 or more");
}

TEST(Layout, blocks) {
    const layout shape({4, 5}, {-2, 10});
    const layout block = shape.block({1, 2}, {3, 2});
    EXPECT_EQ(block.extents(), (extents_t{3, 2}));
    EXPECT_EQ(block.strides(), shape.strides());
    EXPECT_EQ(shape.block({0, 0}, {4, 5}), shape);
    EXPECT_TRUE(shape.block({4, 0}, {0, 5}).empty()); // at the very end
    expect_error(
        [&] {
            (void)shape.block({2, 0}, {3, 1});
        },
        errc::extent_mismatch, "mode 0: block at 2 of extent 3 does not lie within extent 4");
    expect_error(
        [&] {
            (void)shape.block({0, -1}, {1, 1});
        },
        errc::extent_mismatch, "mode 1: block at -1 of extent 1 does not lie within extent 5");
    expect_error(
        [&] {
            (void)shape.block({0, 0}, {1, -1});
        },
        errc::extent_mismatch, "mode 1: block at 0 of extent -1 does not lie within extent 5");
    expect_error(
        [&] {
            (void)shape.block({largest, 0}, {largest, 1});
        },
        errc::extent_mismatch,
        "mode 0: block at 9223372036854775807 of extent 9223372036854775807 does not lie "
        "within extent 4");
    expect_error([&] { (void)shape.block({0}, {1}); }, errc::order_mismatch,
                 "a block of a tensor of order 2 needs as many offsets and extents");
}

TEST(Layout, refuses_negative_extents) {
    const std::string message = "mode 1 has extent -1; extents are 0 or more";
    expect_error([] { (void)layout({2, -1}); }, errc::invalid_argument, message);
    expect_error([] { (void)layout({0, -1}); }, errc::invalid_argument, message);
    expect_error([] { (void)layout({2, -1}, {1, 2}); }, errc::invalid_argument, message);
    expect_error([] { (void)layout::row_major({2, -1}); }, errc::invalid_argument, message);
}

TEST(Layout, refuses_extents_and_strides_of_different_length) {
    expect_error(
        [] {
            (void)layout({2, 3}, {1});
        },
        errc::order_mismatch, "2 extents but 1 strides");
}

TEST(Layout, refuses_what_does_not_fit_64_bits) {
    // 3037000499 is the integer part of the square root of 2^63.
    EXPECT_EQ(layout({3037000499, 3037000499}).size(), 9223372030926249001);
    EXPECT_EQ(layout({largest}).size(), largest);
    EXPECT_EQ(layout({1, largest, 1}).highest(), largest - 1);
    expect_error(
        [] {
            (void)layout({3037000500, 3037000500});
        },
        errc::overflow, "number of elements: 3037000500 x 3037000500 does not fit 64 bits");
    EXPECT_THROW((void)layout::row_major({1 << 30, 1 << 30, 1 << 30}), error);
    // Zero strides do not help if there are too many elements to count.
    EXPECT_THROW((void)layout({largest, largest}, {0, 0}), error);

    EXPECT_EQ(layout({2}, {largest}).highest(), largest);
    EXPECT_EQ(layout({2}, {-largest}).lowest(), -largest);
    expect_error([] { (void)layout({3}, {largest}); }, errc::overflow,
                 "position of an element: 2 x 9223372036854775807 does not fit 64 bits");
    expect_error(
        [] {
            (void)layout({2, 2}, {largest, 1});
        },
        errc::overflow, "position of an element: 9223372036854775807 + 1 does not fit 64 bits");
    EXPECT_THROW((void)layout({2, 2}, {largest, -1}), error); // their distance would not fit
    expect_error([] { (void)layout({2}, {INT64_MIN}); }, errc::overflow, "mode 0 has stride -2^63");
    // The stride of an extent of 1 is never used.
    const layout one({1, 3}, {INT64_MIN, -2});
    EXPECT_EQ(one.lowest(), -4);
    EXPECT_EQ(one.highest(), 0);
    EXPECT_FALSE(one.overlaps_itself());
    const std::array<index_t, 2> last{0, 2};
    EXPECT_EQ(one.checked_offset_of(last), -4);
}

TEST(Layout, storage_bytes) {
    EXPECT_EQ(storage_bytes(layout({3, 4}), data_type::c64), bytes(192));
    EXPECT_EQ(storage_bytes(layout(), data_type::bf16), bytes(2));
    EXPECT_EQ(storage_bytes(layout({0}), data_type::f64), bytes(0));
    EXPECT_EQ(storage_bytes(layout({index_t{1} << 60}), data_type::f32), bytes(index_t{1} << 62));
    expect_error(
        [] {
            (void)storage_bytes(layout({2, index_t{1} << 59}), data_type::f64);
        },
        errc::overflow,
        "extents (2, 576460752303423488) of f64 need 1152921504606846976 x 8 bytes, which "
        "does not fit 64 bits");
}

TEST(Layout, describe) {
    EXPECT_EQ(layout({48, 36}).describe(), "extents (48, 36), strides (1, 48)");
    EXPECT_EQ(layout().describe(), "extents (), strides ()");
}

/// Calls visit(position) for every position, mode 0 fastest.
template <class Visit> void for_each_position(const extents_t &extents, Visit visit) {
    extents_t at(extents.size(), 0);
    index_t left = 1;
    for (const index_t extent : extents)
        left *= extent;
    for (; left > 0; --left) {
        visit(at);
        for (std::size_t k = 0; k < at.size(); ++k) {
            if (++at[k] < extents[k])
                break;
            at[k] = 0;
        }
    }
}

TEST(Layout, random_layouts_agree_with_counting) {
    for (const int test_case : testing::cases(5'000)) {
        testing::random_source random(test_case);
        const auto order = static_cast<std::size_t>(random.integer(0, 4));
        extents_t extents, strides, outer, dense;
        for (std::size_t k = 0; k < order; ++k) {
            extents.push_back(random.integer(0, 4));
            strides.push_back(random.integer(-20, 20));
            outer.push_back(extents.back() + random.integer(0, 2));
        }
        const layout shape(extents, strides);
        SCOPED_TRACE(shape.describe() + "\n" + testing::rerun_line(test_case));
        index_t count = 0, lowest = largest, highest = -largest;
        const layout column(extents), row = layout::row_major(extents),
                                      inside = layout::within(extents, outer), parent(outer);
        for_each_position(extents, [&](const extents_t &at) {
            EXPECT_EQ(column.offset_of(at), count);
            EXPECT_EQ(inside.offset_of(at), parent.offset_of(at));
            ++count;
            lowest = std::min(lowest, shape.offset_of(at));
            highest = std::max(highest, shape.offset_of(at));
        });
        index_t row_count = 0;
        for_each_position({extents.rbegin(), extents.rend()}, [&](const extents_t &at) {
            EXPECT_EQ(row.offset_of(extents_t(at.rbegin(), at.rend())), row_count++);
        });
        ASSERT_EQ(shape.size(), count);
        ASSERT_EQ(shape.empty(), count == 0);
        if (count > 0) {
            ASSERT_EQ(shape.lowest(), lowest);
            ASSERT_EQ(shape.highest(), highest);
        }
        if (HasFailure())
            break;
    }
}

TEST(TensorView, elements_and_blocks) {
    std::vector<double> data(60);
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = static_cast<double>(i);
    const tensor_view<double> view(data.data(), {3, 4, 5});
    EXPECT_EQ(view(2, 1, 3), 2 + 3 * 1 + 12 * 3);
    const tensor_view<const double> constant = view;
    EXPECT_EQ(constant.data(), data.data());
    const tensor_view<double> block = view.block({1, 2, 3}, {2, 2, 1});
    EXPECT_EQ(block(0, 0, 0), view(1, 2, 3));
    EXPECT_EQ(block(1, 1, 0), view(2, 3, 3));
    EXPECT_EQ(block.size(), 4);

    const tensor_view<double> reversed(data.data() + 59, {60}, {-1});
    EXPECT_EQ(reversed(0), 59);
    EXPECT_EQ(reversed(59), 0);
    const tensor_view<double> scalar_view(data.data() + 7, extents_t{});
    EXPECT_EQ(scalar_view(), 7);
}

template <class At> void expect_checked(const At &at) {
    EXPECT_EQ(at(0, 0), 20);
    EXPECT_EQ(at(4, 0), 24);
    EXPECT_EQ(at(2, 4), 2);
    expect_error([&] { at(); }, errc::order_mismatch,
                 "0 indices for a tensor of order 2; it takes one per mode");
    expect_error([&] { at(1); }, errc::order_mismatch,
                 "1 index for a tensor of order 2; it takes one per mode");
    expect_error([&] { at(1, 1, 0); }, errc::order_mismatch,
                 "3 indices for a tensor of order 2; it takes one per mode");
    expect_error([&] { at(5, 0); }, errc::invalid_argument,
                 "mode 0: index 5 does not lie within extent 5");
    expect_error([&] { at(4, -1); }, errc::invalid_argument,
                 "mode 1: index -1 does not lie within extent 5");
    expect_error([&] { at(0, largest); }, errc::invalid_argument,
                 "mode 1: index 9223372036854775807 does not lie within extent 5");
}

TEST(View, at_is_checked) {
    std::vector<double> data(25);
    std::iota(data.begin(), data.end(), 0.0);
    const tensor_view<double> view(data.data() + 20, {5, 5}, {1, -5});
    expect_checked([&](auto... position) { return view.at(position...); });
    view.at(4, 4) = -1;
    EXPECT_EQ(data[4], -1);
    EXPECT_EQ(tensor_view<double>(data.data() + 7).at(), 7);
}

TEST(Tensor, at_is_checked) {
    tensor<double> owner({5, 5});
    for (index_t i = 0; i < 25; ++i)
        owner.at(i % 5, 4 - i / 5) = static_cast<double>(i);
    EXPECT_EQ(owner(2, 4), 2);
    expect_checked([&](auto... position) { return owner.at(position...); });
    expect_checked([&](auto... position) { return std::as_const(owner).at(position...); });
    expect_error([] { tensor<double>({0}).at(0); }, errc::invalid_argument,
                 "mode 0: index 0 does not lie within extent 0");
}

#if !defined(NDEBUG)
TEST(TensorDeathTest, wrong_number_of_indices_is_asserted) {
    tensor<double> owner({5, 5});
    EXPECT_DEATH_IF_SUPPORTED(owner(1, 1, 1), "one index per mode");
    EXPECT_DEATH_IF_SUPPORTED(owner(1), "one index per mode");
    EXPECT_DEATH_IF_SUPPORTED(owner.view()(1, 1, 1), "one index per mode");
}
#endif

TEST(Tensor, owns_zeroed_aligned_elements) {
    tensor<c32> owner({5, 7});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(owner.data()) % 64, 0U);
    for (index_t i = 0; i < owner.size(); ++i)
        ASSERT_EQ(owner.data()[i], c32());
    owner(4, 6) = c32(1, 2);
    EXPECT_EQ(owner.data()[34], c32(1, 2));
    const tensor<c32> moved = std::move(owner);
    EXPECT_EQ(moved(4, 6), c32(1, 2));
    static_assert(!std::is_copy_constructible_v<tensor<c32>>);
    static_assert(std::is_nothrow_move_constructible_v<tensor<c32>>);
    static_assert(std::is_nothrow_move_assignable_v<tensor<c32>>);

    EXPECT_EQ(tensor<double>(extents_t{}).size(), 1);
    EXPECT_EQ(tensor<double>({3, 0}).size(), 0);
    expect_error([] { (void)tensor<double>({index_t{1} << 60}); }, errc::overflow,
                 "extents (1152921504606846976) of f64 need 1152921504606846976 x 8 bytes, which "
                 "does not fit 64 bits");
    expect_error([] { (void)tensor<double>({index_t{1} << 59}); }, errc::out_of_memory,
                 "cannot allocate 4611686018427387904 bytes");
    // Close to 2^63: rounding up to the alignment must not overflow.
    expect_error([] { (void)tensor<double>({(index_t{1} << 60) - 1}); }, errc::out_of_memory,
                 "cannot allocate 9223372036854775800 bytes");
}

TEST(Operand, remembers_type_layout_and_conjugation) {
    tensor<c64> owner({2, 3});
    const input in = owner;
    EXPECT_EQ(in.type(), data_type::c64);
    EXPECT_EQ(in.data(), owner.data());
    EXPECT_EQ(in.shape(), owner.shape());
    EXPECT_FALSE(in.conjugated());
    EXPECT_TRUE(conj(in).conjugated());
    EXPECT_FALSE(conj(conj(in)).conjugated());
    EXPECT_TRUE(conj(owner).conjugated());
    EXPECT_TRUE(conj(owner.view()).conjugated());
    const output out = owner;
    const input again = out;
    EXPECT_EQ(again.data(), out.data());
    EXPECT_EQ(again.type(), data_type::c64);
    EXPECT_FALSE(again.conjugated());
}

} // namespace
} // namespace tenfold
