// Tests the numbering of pairs, and packing and unpacking of two modes against plain loops.
// Elements are integers, so that results are exact.
#include <gtest/gtest.h>

#include <tenfold/chem_pairs.hpp>
#include <tenfold/error.hpp>

#include "support/message_of.hpp"

namespace tenfold::testing {
namespace {

using chem::pair_kind;

TEST(Pairs, AreNumberedRowByRow) {
    index_t place = 0;
    index_t strict = 0;
    chem::orbital_pair next{0, 0};
    for (index_t p = 0; p < 70; ++p) {
        EXPECT_EQ(chem::pair_count(p), place);
        EXPECT_EQ(chem::strict_pair_count(p), strict);
        for (index_t q = 0; q <= p; ++q, ++place, chem::advance(next)) {
            EXPECT_EQ(chem::pair_index(p, q), place);
            EXPECT_EQ(chem::pair_index(q, p), place);
            EXPECT_EQ(chem::pair_at(place), (chem::orbital_pair{p, q}));
            EXPECT_EQ(next, (chem::orbital_pair{p, q}));
            if (q == p)
                continue;
            EXPECT_EQ(chem::strict_pair_index(p, q), strict);
            EXPECT_EQ(chem::strict_pair_index(q, p), strict);
            EXPECT_EQ(chem::strict_pair_at(strict), (chem::orbital_pair{p, q}));
            ++strict;
        }
    }
}

/// The square root of a large place rounds.
TEST(Pairs, OfManyOrbitals) {
    for (const index_t p : {index_t{4095}, index_t{1} << 26, (index_t{1} << 31) - 1})
        for (const index_t q : {index_t{0}, index_t{1}, p - 1, p}) {
            EXPECT_EQ(chem::pair_at(chem::pair_index(p, q)), (chem::orbital_pair{p, q}));
            if (q < p) {
                EXPECT_EQ(chem::strict_pair_at(chem::strict_pair_index(p, q)),
                          (chem::orbital_pair{p, q}));
            }
        }
}

tensor<double> numbered(const extents_t &extents) {
    tensor<double> x(extents);
    for (index_t k = 0; k < x.size(); ++k)
        x.data()[k] = static_cast<double>(1 + (k * 37) % 1009);
    return x;
}

TEST(Pairs, PackedFromAnyMode) {
    const tensor<double> front = numbered({4, 4, 3});
    const tensor<double> middle = numbered({3, 4, 4, 2});
    const tensor<double> back = numbered({2, 3, 4, 4});
    for (const pair_kind kind : {pair_kind::symmetric, pair_kind::antisymmetric}) {
        const bool symmetric = kind == pair_kind::symmetric;
        const double sign = symmetric ? 1 : -1;
        const tensor<double> a = pack_pairs(front, 0, kind);
        const tensor<double> b = pack_pairs(middle, 1, kind);
        const tensor<double> c = pack_pairs(back, 2, kind);
        EXPECT_EQ(a.shape().extents(), (extents_t{symmetric ? 10 : 6, 3}));
        EXPECT_EQ(b.shape().extents(), (extents_t{3, symmetric ? 10 : 6, 2}));
        EXPECT_EQ(c.shape().extents(), (extents_t{2, 3, symmetric ? 10 : 6}));
        for (index_t p = 0; p < 4; ++p)
            for (index_t q = 0; q + (symmetric ? 0 : 1) <= p; ++q) {
                const index_t pq =
                    symmetric ? chem::pair_index(p, q) : chem::strict_pair_index(p, q);
                for (index_t i = 0; i < 3; ++i) {
                    EXPECT_EQ(a(pq, i), front(p, q, i) + sign * front(q, p, i));
                    for (index_t j = 0; j < 2; ++j) {
                        EXPECT_EQ(b(i, pq, j), middle(i, p, q, j) + sign * middle(i, q, p, j));
                        EXPECT_EQ(c(j, i, pq), back(j, i, p, q) + sign * back(j, i, q, p));
                    }
                }
            }
    }
}

TEST(Pairs, BothKindsUnpackedAreTheTensor) {
    for (const int mode : {0, 1, 2}) {
        extents_t extents{3, 2, 5};
        extents.insert(extents.begin() + mode, 5);
        extents[static_cast<std::size_t>(mode) + 1] = 5;
        const tensor<double> x = numbered(extents);
        tensor<double> y(extents);
        for (index_t k = 0; k < y.size(); ++k)
            y.data()[k] = 7; // unpacking adds
        for (const pair_kind kind : {pair_kind::symmetric, pair_kind::antisymmetric})
            unpack_pairs(pack_pairs(x, mode, kind), mode, kind, y);
        for (index_t k = 0; k < y.size(); ++k)
            EXPECT_EQ(y.data()[k], x.data()[k] + 7) << mode << " " << k;
    }
}

TEST(Pairs, SignsOfUnpackedElements) {
    tensor<double> packed({3}); // (1,0) (2,0) (2,1)
    packed(0) = 2;
    packed(1) = 4;
    packed(2) = 6;
    tensor<double> x({3, 3});
    unpack_pairs(packed, 0, pair_kind::antisymmetric, x);
    const std::vector<double> expected{0, 1, 2, -1, 0, 3, -2, -3, 0}; // column by column
    EXPECT_EQ(std::vector<double>(x.data(), x.data() + 9), expected);
}

TEST(Pairs, OfStridedTensorsAndOfNothing) {
    const tensor<double> whole = numbered({6, 8, 5});
    const tensor_view<const double> part = whole.view().block({1, 2, 0}, {3, 3, 5});
    const tensor<double> packed = pack_pairs(part, 0, pair_kind::symmetric);
    for (index_t i = 0; i < 5; ++i)
        EXPECT_EQ(packed(chem::pair_index(2, 1), i), whole(3, 3, i) + whole(2, 4, i));
    EXPECT_EQ(pack_pairs(tensor<double>({0, 0, 4}), 0, pair_kind::symmetric).size(), 0);
    EXPECT_EQ(pack_pairs(tensor<double>({1, 1, 4}), 0, pair_kind::antisymmetric).size(), 0);
    EXPECT_EQ(pack_pairs(tensor<double>({4, 4, 0}), 0, pair_kind::antisymmetric).size(), 0);
}

TEST(Pairs, WrongModesAndExtentsAreRefused) {
    const tensor<double> x({4, 4, 3});
    for (const int mode : {-1, 2, 3})
        message_of([&] { pack_pairs(x, mode, pair_kind::symmetric); }, errc::invalid_argument);
    const std::string unequal =
        message_of([&] { pack_pairs(x, 1, pair_kind::symmetric); }, errc::extent_mismatch);
    EXPECT_NE(unequal.find("X mode 1 has extent 4, X mode 2 has extent 3"), std::string::npos)
        << unequal;
    tensor<double> to({4, 4, 3});
    const std::string pairs = message_of(
        [&] {
            unpack_pairs(tensor<double>({10, 3}), 0, pair_kind::antisymmetric, to);
        },
        errc::extent_mismatch);
    EXPECT_NE(pairs.find("P mode 0 has extent 10: expected, as of X's modes, 6"), std::string::npos)
        << pairs;
    message_of(
        [&] {
            unpack_pairs(tensor<double>({10, 4}), 0, pair_kind::symmetric, to);
        },
        errc::extent_mismatch);
    message_of(
        [&] {
            unpack_pairs(tensor<double>({10, 3, 1}), 0, pair_kind::symmetric, to);
        },
        errc::order_mismatch);
}

} // namespace
} // namespace tenfold::testing
