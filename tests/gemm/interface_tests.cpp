// Tests the public gemm(): arguments, errors, back ends.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include <tenfold/epilogue.hpp>
#include <tenfold/gemm_batch.hpp>
#include <tenfold/gemm_mixed.hpp>

#include "support/fenced.hpp"
#include "support/message_of.hpp"

namespace tenfold::testing {
namespace {

const std::vector<double> a_2x3{1, 4, 2, 5, 3, 6}; // columns (1 4) (2 5) (3 6)
const std::vector<double> b_3x2{1, 3, 5, 2, 4, 6};

matrix_view<const double> view_a() { return {a_2x3.data(), 2, 3, 1, 2}; }
matrix_view<const double> view_b() { return {b_3x2.data(), 3, 2, 1, 3}; }

TEST(gemm, column_major) {
    std::vector<double> c(4, std::numeric_limits<double>::quiet_NaN());
    gemm(view_a(), view_b(), matrix_view<double>{c.data(), 2, 2, 1, 2});
    EXPECT_EQ(c, (std::vector<double>{22, 49, 28, 64}));
}

TEST(gemm, row_major_and_transposed_views) {
    std::vector<double> c(4, 1);
    gemm(view_b().transposed(), view_a().transposed(), matrix_view<double>{c.data(), 2, 2, 1, 2},
         {.alpha = 2.0, .beta = 3.0});
    EXPECT_EQ(c, (std::vector<double>{47, 59, 101, 131}));
    gemm(view_a(), view_b(), matrix_view<double>{c.data(), 2, 2, 2, 1});
    EXPECT_EQ(c, (std::vector<double>{22, 28, 49, 64}));
}

TEST(gemm, four_types_and_conjugation) {
    const std::vector<c64> a{{1, 1}, {0, 2}};
    const std::vector<c64> b{{3, -1}, {1, 1}};
    std::vector<c64> c(1);
    // conj(1+i)(3-i) + conj(2i)(1+i) = (2-4i) + (2-2i)
    gemm(matrix_view<const c64>{a.data(), 1, 2, 1, 1}, matrix_view<const c64>{b.data(), 2, 1, 1, 2},
         matrix_view<c64>{c.data(), 1, 1, 1, 1}, {.conj_a = true});
    EXPECT_EQ(c[0], c64(4, -6));
    const std::vector<float> x{2, 3};
    std::vector<float> y(4);
    gemm(matrix_view<const float>{x.data(), 2, 1, 1, 2},
         matrix_view<const float>{x.data(), 1, 2, 1, 1}, matrix_view<float>{y.data(), 2, 2, 1, 2});
    EXPECT_EQ(y, (std::vector<float>{4, 6, 6, 9}));
    const std::vector<c32> z{{0, 1}};
    std::vector<c32> w(1);
    gemm(matrix_view<const c32>{z.data(), 1, 1, 1, 1}, matrix_view<const c32>{z.data(), 1, 1, 1, 1},
         matrix_view<c32>{w.data(), 1, 1, 1, 1}, {.alpha = scalar(0, 1), .conj_b = true});
    EXPECT_EQ(w[0], c32(0, 1));
}

TEST(gemm, extents_must_agree) {
    std::vector<double> c(6);
    EXPECT_EQ(message_of(
                  [&] {
                      gemm(view_a(), view_b(), matrix_view<double>{c.data(), 3, 2, 1, 3});
                  },
                  errc::extent_mismatch),
              "gemm: m: rows of A is 2, rows of C is 3");
    EXPECT_EQ(message_of(
                  [&] {
                      gemm(view_a(), view_a(), matrix_view<double>{c.data(), 2, 3, 1, 2});
                  },
                  errc::extent_mismatch),
              "gemm: k: columns of A is 3, rows of B is 2");
}

TEST(gemm, null_pointers) {
    EXPECT_EQ(message_of(
                  [&] {
                      gemm(view_a(), view_b(), matrix_view<double>{nullptr, 2, 2, 1, 2});
                  },
                  errc::null_pointer),
              "gemm: C is null");
    std::vector<double> c(4, 5);
    const matrix_view<const double> nowhere{nullptr, 2, 3, 1, 2};
    const matrix_view<double> view_c{c.data(), 2, 2, 1, 2};
    EXPECT_EQ(message_of([&] { gemm(nowhere, view_b(), view_c); }, errc::null_pointer),
              "gemm: A is null");
    EXPECT_EQ(c, std::vector<double>(4, 5)); // nothing was written
    gemm(nowhere, view_b(), view_c, {.alpha = 0.0, .beta = 2.0});
    EXPECT_EQ(c, std::vector<double>(4, 10));
    gemm(matrix_view<const double>{nullptr, 2, 0, 1, 2},
         matrix_view<const double>{nullptr, 0, 2, 1, 1}, view_c);
    EXPECT_EQ(c, std::vector<double>(4, 0));
    gemm(matrix_view<const double>{nullptr, 0, 3, 1, 1}, view_b(),
         matrix_view<double>{nullptr, 0, 2, 1, 1});
}

TEST(gemm, overlap) {
    std::vector<double> c(9, 1);
    message_of(
        [&] {
            gemm(view_a(), view_b(), matrix_view<double>{c.data(), 2, 2, 1, 1});
        },
        errc::overlap);
    message_of(
        [&] {
            gemm(view_a(), view_b(), matrix_view<double>{c.data(), 2, 2, 1, 0});
        },
        errc::overlap);
    EXPECT_EQ(message_of(
                  [&] {
                      gemm(matrix_view<const double>{c.data(), 2, 2, 1, 3},
                           matrix_view<const double>{view_b().data, 2, 2, 1, 3},
                           matrix_view<double>{c.data() + 1, 2, 2, 1, 3});
                  },
                  errc::overlap),
              "gemm: C overlaps A; copy A or write to another matrix");
    // Columns 0 and 2 of a 2 x 4 array times a matrix, into columns 1 and 3: interleaved but
    // disjoint.
    std::vector<double> array{1, 2, 0, 0, 3, 4, 0, 0};
    const std::vector<double> swap{0, 1, 1, 0};
    gemm(matrix_view<const double>{array.data(), 2, 2, 1, 4},
         matrix_view<const double>{swap.data(), 2, 2, 1, 2},
         matrix_view<double>{array.data() + 2, 2, 2, 1, 4});
    EXPECT_EQ(array, (std::vector<double>{1, 2, 3, 4, 3, 4, 1, 2}));
}

TEST(gemm, strides_beyond_64_bits) {
    constexpr index_t far = index_t{1} << 61;
    std::vector<double> numbers(64, 7), c(4, 5);
    const auto refused = [&](const std::string &message, auto call) {
        SCOPED_TRACE(message);
        EXPECT_EQ(message_of(call, errc::overflow), message);
        EXPECT_EQ(c, std::vector<double>(4, 5));
    };
    const auto matrix = [&](index_t row_stride, index_t column_stride) {
        return matrix_view<const double>{numbers.data(), 2, 2, row_stride, column_stride};
    };
    const matrix_view<double> view_c{c.data(), 2, 2, 1, 2};
    const auto far_matrix = [](const std::string &letter) {
        return letter + " has 2 rows with stride 2305843009213693952 and 2 columns with stride 2, "
                        "of 8 bytes each: these positions do not fit 64 bits";
    };
    refused("gemm: " + far_matrix("A"), [&] { gemm(matrix(far, 2), matrix(1, 2), view_c); });
    refused("gemm: " + far_matrix("B"), [&] { gemm(matrix(1, 2), matrix(far, 2), view_c); });
    refused("gemm: " + far_matrix("C"), [&] {
        gemm(matrix(1, 2), matrix(1, 2), matrix_view<double>{c.data(), 2, 2, far, 2});
    });
    for (const index_t stride : {-far, INT64_MAX, INT64_MIN}) {
        EXPECT_THROW(gemm(matrix(1, stride), matrix(1, 2), view_c), error);
        EXPECT_THROW(gemm(matrix(1, 2), matrix(stride, 1), view_c), error);
    }
    const auto batch = [&](index_t stride) {
        return matrix_batch<const double>::strided(matrix(1, 2), 2, stride);
    };
    const auto one_c = matrix_batch<double>::strided(view_c, 2, 4);
    refused(
        "gemm_batch: matrices of A are 2305843009213693952 elements of 8 bytes from each other: "
        "these positions do not fit 64 bits",
        [&] { gemm_batch<double>(batch(far), batch(4), one_c); });
    refused(
        "gemm_batch_reduce: matrices of B are 2305843009213693952 elements of 8 bytes from each "
        "other: these positions do not fit 64 bits",
        [&] { gemm_batch_reduce<double>(batch(4), batch(far), view_c); });
    std::vector<bf16> halves(8);
    std::vector<float> sums(4);
    EXPECT_EQ(
        message_of(
            [&] {
                gemm(matrix_view<const bf16>{halves.data(), 2, 2, 2 * far, 1},
                     matrix_view<const bf16>{halves.data(), 2, 2},
                     matrix_view<float>{sums.data(), 2, 2});
            },
            errc::overflow),
        "gemm: A has 2 rows with stride 4611686018427387904 and 2 columns with stride 1, of 2 "
        "bytes each: these positions do not fit 64 bits");
    epilogue finish;
    finish.add(matrix(far, 1));
    refused("gemm: epilogue step 1: its matrix has 2 rows with stride 2305843009213693952 and 2 "
            "columns with stride 1, of 8 bytes each: these positions do not fit 64 bits",
            [&] { gemm(matrix(1, 2), matrix(1, 2), view_c, {.epilogue = &finish}); });

    // The stride of an extent of 1 does not matter.
    for (const index_t any : {far, INT64_MAX, INT64_MIN}) {
        std::vector<double> one(2);
        gemm(matrix_view<const double>{a_2x3.data(), 1, 3, any, 2}, view_b(),
             matrix_view<double>{one.data(), 1, 2, any, 1});
        EXPECT_EQ(one, (std::vector<double>{22, 28}));
        gemm(matrix_view<const double>{a_2x3.data(), 2, 1, 1, any},
             matrix_view<const double>{b_3x2.data(), 1, 1, any, any},
             matrix_view<double>{one.data(), 2, 1, 1, any});
        EXPECT_EQ(one, (std::vector<double>{1, 4}));
    }
}

TEST(gemm, back_ends_agree) {
#if defined(TENFOLD_HAVE_BLIS)
    std::vector<double> a(40 * 30), b(30 * 20), c(40 * 20), d(40 * 20);
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<double>(i % 7) - 3;
    for (std::size_t i = 0; i < b.size(); ++i)
        b[i] = static_cast<double>(i % 5) - 2;
    const matrix_view<const double> view_a{a.data(), 40, 30, 1, 40};
    const matrix_view<const double> view_b{b.data(), 30, 20, 1, 30};
    gemm(view_a, view_b, matrix_view<double>{c.data(), 40, 20, 1, 40});
    gemm(view_a, view_b, matrix_view<double>{d.data(), 40, 20, 1, 40}, {.backend = backend::blis});
    EXPECT_EQ(c, d);
#else
    std::vector<double> c(4);
    message_of(
        [&] {
            gemm(view_a(), view_b(), matrix_view<double>{c.data(), 2, 2, 1, 2},
                 {.backend = backend::blis});
        },
        errc::unsupported);
#endif
}

#if defined(TENFOLD_HAVE_BLIS)
/// An m x n matrix whose last element is at the end of its memory, stored by rows or by columns.
template <class T> struct matrix_at_fence {
    matrix_at_fence(index_t rows, index_t columns, bool by_rows)
        : memory(rows * columns * static_cast<index_t>(sizeof(T)), side::end),
          view{reinterpret_cast<T *>(memory.data()), rows, columns, by_rows ? columns : 1,
               by_rows ? 1 : rows} {
        for (index_t i = 0; i < rows * columns; ++i)
            view.data[i] = static_cast<T>(i % 7 - 3);
    }

    matrix_view<const T> input() const {
        return {view.data, view.rows, view.columns, view.row_stride, view.column_stride};
    }

    fenced_memory memory;
    matrix_view<T> view;
};

TEST(gemm, blis_stays_within_the_operands) {
    const auto check = [&]<class T>(T, index_t m, index_t n, index_t k, int orders) {
        const matrix_at_fence<T> a(m, k, (orders & 1) != 0);
        const matrix_at_fence<T> b(k, n, (orders & 2) != 0);
        const matrix_at_fence<T> c(m, n, (orders & 4) != 0);
        const matrix_at_fence<T> expected(m, n, (orders & 4) != 0);
        gemm(a.input(), b.input(), c.view, {.beta = 2.0, .backend = backend::blis});
        gemm(a.input(), b.input(), expected.view, {.beta = 2.0});
        for (index_t i = 0; i < m * n; ++i)
            ASSERT_EQ(c.view.data[i], expected.view.data[i]) << m << "x" << n << "x" << k;
    };
    for (const index_t m : {1, 2, 3, 5, 6, 7, 17})
        for (const index_t n : {1, 2, 3, 4, 6, 9, 17})
            for (const index_t k : {1, 3, 8, 9, 33})
                for (int orders = 0; orders < 8; ++orders) {
                    check(float{}, m, n, k, orders);
                    check(double{}, m, n, k, orders);
                }
}
#endif

} // namespace
} // namespace tenfold::testing
