// Tests blocks of the matrices over pairs that tensors with two pairs of modes are packed in, at
// every place and of many sizes.
#include <limits>

#include <gtest/gtest.h>

#include <tenfold/chem_pairs.hpp>

namespace tenfold::testing {
namespace {

using chem::pair_at;
using chem::pair_count;
using chem::pair_index;

constexpr index_t n = 4; ///< p and q
constexpr index_t m = 3; ///< r and s

/// X[p,q,r,s] = X[q,p,s,r], of small integers.
double x_of(index_t p, index_t q, index_t r, index_t s) {
    const auto part = [](index_t a, index_t b, index_t c, index_t d) {
        return static_cast<double>(1 + (a * 29 + b * 71 + c * 13 + d * 7) % 101);
    };
    return part(p, q, r, s) + part(q, p, s, r);
}

/// A block of a tensor whose elements are value(position), dense.
template <class Value> tensor<double> filled(const chem::pair_box &box, const Value &value) {
    tensor<double> result(box.extents);
    const extents_t &at = box.offsets;
    for (index_t s = 0; s < box.extents[3]; ++s)
        for (index_t r = 0; r < box.extents[2]; ++r)
            for (index_t q = 0; q < box.extents[1]; ++q)
                for (index_t p = 0; p < box.extents[0]; ++p)
                    result(p, q, r, s) = value(at[0] + p, at[1] + q, at[2] + r, at[3] + s);
    return result;
}

void check_packed(const chem::pair_box &box, bool half_diagonal) {
    const chem::pair_box needed = chem::packed_from(box);
    const tensor<double> x = filled(needed, x_of);
    tensor<double> plus(box.extents);
    tensor<double> minus(box.extents);
    chem::pack_pair_matrices({needed.offsets, x.view()}, {box.offsets, plus.view()},
                             {box.offsets, minus.view()}, half_diagonal);
    for (index_t j = 0; j < box.extents[1]; ++j)
        for (index_t i = 0; i < box.extents[0]; ++i) {
            const auto [p, q] = pair_at(box.offsets[0] + i);
            const auto [r, s] = pair_at(box.offsets[1] + j);
            const double half = half_diagonal && p == q ? 0.5 : 1.0;
            EXPECT_EQ(plus(i, j), half * (x_of(p, q, r, s) + x_of(q, p, r, s)));
            EXPECT_EQ(minus(i, j), x_of(p, q, r, s) - x_of(q, p, r, s));
        }
}

TEST(PairMatrices, AnyBlockIsPacked) {
    const index_t rows = pair_count(n);
    const index_t columns = pair_count(m);
    for (const bool half_diagonal : {false, true})
        for (index_t i = 0; i < rows; ++i)
            for (index_t height = 1; i + height <= rows; ++height)
                for (index_t j = 0; j < columns; ++j)
                    for (const index_t width : {index_t{1}, index_t{2}, columns - j})
                        if (j + width <= columns)
                            check_packed({{i, j}, {height, width}}, half_diagonal);
}

/// plus and minus of some tensor: any numbers, but that minus is 0 on diagonals.
double plus_of(index_t pq, index_t rs) {
    return static_cast<double>(2 * (1 + (pq * 31 + rs * 17) % 89));
}
double minus_of(index_t pq, index_t rs) {
    const auto [p, q] = pair_at(pq);
    const auto [r, s] = pair_at(rs);
    return p == q || r == s ? 0.0 : static_cast<double>(2 * (1 + (pq * 43 + rs * 19) % 97));
}

void check_unpacked(const chem::pair_box &box) {
    const chem::pair_box needed = chem::unpacked_from(box);
    tensor<double> plus(needed.extents);
    tensor<double> minus(needed.extents);
    for (index_t j = 0; j < needed.extents[1]; ++j)
        for (index_t i = 0; i < needed.extents[0]; ++i) {
            plus(i, j) = plus_of(needed.offsets[0] + i, needed.offsets[1] + j);
            minus(i, j) = minus_of(needed.offsets[0] + i, needed.offsets[1] + j);
        }
    tensor<double> x(box.extents);
    for (index_t k = 0; k < x.size(); ++k)
        x.data()[k] = 1000;
    chem::unpack_pair_matrices({needed.offsets, plus.view()}, {needed.offsets, minus.view()},
                               {box.offsets, x.view()});
    const tensor<double> expected = filled(box, [](index_t p, index_t q, index_t r, index_t s) {
        const double sign = (p >= q) == (r >= s) ? 0.5 : -0.5;
        return 1000 + 0.5 * plus_of(pair_index(p, q), pair_index(r, s)) +
               sign * minus_of(pair_index(p, q), pair_index(r, s));
    });
    for (index_t k = 0; k < x.size(); ++k)
        ASSERT_EQ(x.data()[k], expected.data()[k]) << k;
}

TEST(PairMatrices, AnyBlockIsUnpacked) {
    for (index_t p = 0; p < n; ++p)
        for (index_t q = 0; q < n; ++q)
            for (index_t r = 0; r < m; ++r)
                for (index_t s = 0; s < m; ++s)
                    for (const index_t size : {1, 2, 4}) {
                        const auto cut = [size](index_t at, index_t end) {
                            return std::min(size, end - at);
                        };
                        check_unpacked(
                            {{p, q, r, s}, {cut(p, n), cut(q, n), cut(r, m), cut(s, m)}});
                    }
}

} // namespace
} // namespace tenfold::testing
