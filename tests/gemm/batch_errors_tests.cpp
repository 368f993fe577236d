// Tests which batches are refused, and which overlap.
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/gemm_batch.hpp>

#include "gemm/plan/overlap.hpp"
#include "support/message_of.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

TEST(gemm_batch, errors) {
    std::vector<double> data(100);
    const matrix_view<const double> in(data.data(), 2, 2);
    const matrix_view<double> out(data.data() + 50, 2, 2);
    const auto batch = [](const auto &first, index_t count, index_t stride) {
        using T = std::remove_pointer_t<decltype(first.data)>;
        return matrix_batch<T>::strided(first, count, stride);
    };
    const auto a = batch(in, 3, 4);
    EXPECT_EQ(message_of([&] { gemm_batch(a, batch(in, 2, 4), batch(out, 3, 4)); },
                         errc::extent_mismatch),
              "gemm_batch: batch: number of matrices of B is 2, number of matrices of C is 3");
    EXPECT_EQ(message_of([&] { gemm_batch(a, a, batch(out, 3, 3)); }, errc::overlap),
              "gemm_batch: matrices of C overlap each other: row stride 1, column stride 2, from "
              "matrix to matrix 3");
    EXPECT_EQ(message_of([&] { gemm_batch(a, a, batch(out, 3, 0)); }, errc::overlap),
              "gemm_batch: matrices of C overlap each other: row stride 1, column stride 2, from "
              "matrix to matrix 0");
    const auto long_a = batch(in, 20, 4); // up to element 79, which is in C
    EXPECT_EQ(message_of([&] { gemm_batch_reduce(long_a, long_a, out); }, errc::overlap),
              "gemm_batch_reduce: C overlaps A; copy A or write to another matrix");
    EXPECT_EQ(message_of([&] { gemm_batch(a, batch(in, 3, 24), batch(out, 3, 4)); }, errc::overlap),
              "gemm_batch: C overlaps B; copy B or write to other matrices");
    const std::vector<double *> addresses{data.data() + 50, nullptr};
    EXPECT_EQ(message_of(
                  [&] {
                      gemm_batch(batch(in, 2, 4), batch(in, 2, 4),
                                 matrix_batch<double>::at_addresses(out, addresses));
                  },
                  errc::null_pointer),
              "gemm_batch: address 1 of C is null");
    EXPECT_EQ(
        message_of([&] { gemm_batch_reduce(a, a, out, {.threads = -1}); }, errc::invalid_argument),
        "gemm_batch_reduce: threads is -1; it is 0 to 4096");
    EXPECT_EQ(message_of([&] { gemm_batch(batch(in, -1, 4), a, batch(out, 3, 4)); },
                         errc::invalid_argument),
              "gemm_batch: A has -1 matrices; it has at least 0");
    EXPECT_EQ(message_of([&] { gemm_batch_reduce(a, a, matrix_view<double>(out.data, 3, 2)); },
                         errc::extent_mismatch),
              "gemm_batch_reduce: m: rows of A is 2, rows of C is 3");
    // Elements of the three batches alternate in memory, so that nothing is shared.
    gemm_batch(matrix_batch<const double>::strided({data.data(), 2, 2, 4, 8}, 2, 2),
               matrix_batch<const double>::strided({data.data(), 2, 2, 4, 8}, 2, 2),
               matrix_batch<double>::strided({data.data() + 1, 2, 2, 4, 8}, 2, 2));
}

TEST(gemm_batch, overlaps_agree_with_enumeration) {
    for (const int i : cases(3000)) {
        SCOPED_TRACE(rerun_line(i));
        random_source random(i);
        const auto batch = [&](const char *base) {
            const auto stride = [&] { return random.integer(-6, 9); };
            return gemm_impl::batch_placement{{base + random.integer(0, 40), 4,
                                               random.integer(1, 4), random.integer(1, 4), stride(),
                                               stride()},
                                              random.integer(1, 4),
                                              stride()};
        };
        // Only positions are used; no element is read.
        const auto positions = [](const gemm_impl::batch_placement &x) {
            std::vector<index_t> found;
            for (index_t l = 0; l < x.count; ++l)
                for (index_t r = 0; r < x.first.rows; ++r)
                    for (index_t c = 0; c < x.first.columns; ++c)
                        found.push_back(reinterpret_cast<index_t>(x.first.data) +
                                        4 * (l * x.stride + r * x.first.row_stride +
                                             c * x.first.column_stride));
            return found;
        };
        static const char memory[64] = {};
        const auto one = batch(memory);
        const auto other = batch(memory);
        const auto p = positions(one);
        const auto q = positions(other);
        bool itself = false;
        bool shared = false;
        for (std::size_t x = 0; x < p.size(); ++x) {
            for (std::size_t y = x + 1; y < p.size(); ++y)
                itself = itself || p[x] == p[y];
            for (const index_t y : q)
                shared = shared || std::abs(p[x] - y) < 4;
        }
        ASSERT_EQ(gemm_impl::overlaps_itself(one), itself);
        ASSERT_EQ(gemm_impl::share_memory(one, other), shared);
    }
}

} // namespace
} // namespace tenfold::testing
