// Tests tensors that own their elements: their initial values, and their state after a move.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/error.hpp>
#include <tenfold/tensor.hpp>

#include "support/message_of.hpp"

namespace tenfold {
namespace {

TEST(Tensor, moved_from_has_no_elements) {
    tensor<double> first({5, 7});
    tensor<double> second = std::move(first);
    const auto expect_nothing = [](const tensor<double> &moved) {
        EXPECT_EQ(moved.data(), nullptr);
        EXPECT_EQ(moved.size(), 0);
        EXPECT_EQ(moved.shape().order(), 0);
        EXPECT_TRUE(moved.shape().empty());
        EXPECT_EQ(moved.view().size(), 0);
        EXPECT_THROW((void)moved.at(0, 0), error);
    };
    expect_nothing(first); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(second.size(), 35);
    first = std::move(second);
    expect_nothing(second); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(first.shape(), layout({5, 7}));
    layout self({2, 3});
    layout &same = self;
    self = std::move(same);
    EXPECT_EQ(self, layout({2, 3}));
}

/// Tensors of more than one part, each of which another thread sets to 0.
TEST(Tensor, large_ones_are_zero_from_end_to_end) {
    for (const index_t size : {(index_t{8} << 20) / 8, (index_t{9} << 20) / 8 + 3}) {
        std::vector<std::unique_ptr<tensor<double>>> some;
        for (int i = 0; i < 3; ++i) { // freed memory, which is not 0, comes again
            for (auto &one : some)
                std::fill_n(one->data(), one->size(), 1.0);
            some.clear();
            some.push_back(std::make_unique<tensor<double>>(extents_t{size}));
            const double *const data = some.back()->data();
            EXPECT_EQ(std::count(data, data + size, 0.0), size);
        }
    }
}

TEST(Tensor, may_be_left_unset) {
    tensor<float> one({3, 4}, uninitialized);
    EXPECT_EQ(one.shape(), layout({3, 4}));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.data()) % 64, 0U);
    std::fill_n(one.data(), one.size(), 2.0F); // all of it is there
    EXPECT_EQ(one(2, 3), 2.0F);
    EXPECT_EQ(testing::message_of([] { (void)tensor<double>({index_t{1} << 59}, uninitialized); },
                                  errc::out_of_memory),
              "cannot allocate 4611686018427387904 bytes");
}

} // namespace
} // namespace tenfold
