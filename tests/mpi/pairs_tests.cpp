// Tests pairs of two modes of distributed tensors against loops over all elements.
#include <string>

#include <tenfold/dist_operations.hpp>
#include <tenfold/dist_pairs.hpp>

#include "mpi/operation_cases.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

using chem::pair_kind;

template <class T> class DistPairs : public ::testing::Test {};
using operation_types = list_of_arithmetic_types<::testing::Types>;
TYPED_TEST_SUITE(DistPairs, operation_types);

struct pair_case {
    extents_t x, packed;
    int mode;
    pair_kind kind;

    explicit pair_case(random_source &random)
        : mode(static_cast<int>(random.integer(0, 2))),
          kind(random.chance(0.5) ? pair_kind::symmetric : pair_kind::antisymmetric) {
        const int behind = static_cast<int>(random.integer(0, 2));
        packed = random_extents(random, mode + 1 + behind);
        x = packed;
        const index_t n = random.integer(0, 9);
        const auto first = static_cast<std::size_t>(mode);
        x[first] = n;
        x.insert(x.begin() + mode, n);
        packed[first] =
            kind == pair_kind::symmetric ? chem::pair_count(n) : chem::strict_pair_count(n);
    }
    /// Calls use(pq, qp, pair) with positions in X, twice, and in P.
    template <class Use> void for_each_pair(const Use &use) const {
        for_each_position(extents_t(x.size(), 0), x, [&](const extents_t &pq) {
            const auto first = static_cast<std::size_t>(mode);
            const index_t p = pq[first];
            const index_t q = pq[first + 1];
            if (p < q || (p == q && kind == pair_kind::antisymmetric))
                return;
            extents_t qp = pq;
            std::swap(qp[first], qp[first + 1]);
            extents_t pair = pq;
            pair[first] = kind == pair_kind::symmetric ? chem::pair_index(p, q)
                                                       : chem::strict_pair_index(p, q);
            pair.erase(pair.begin() + mode + 1);
            use(pq, qp, pair);
        });
    }
};

template <class T> T &at(tensor<T> &whole, const extents_t &position) {
    return whole.data()[whole.shape().offset_of(position)];
}

TYPED_TEST(DistPairs, AsLoopsOverAllElements) {
    using T = TypeParam;
    using real = typename element_traits<T>::real;
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const pair_case one(random);
        dist_tensor<T> x(ranks(), one.x, random_distribution(random, one.x, ranks().size()));
        dist_tensor<T> packed(ranks(), one.packed,
                              random_distribution(random, one.packed, ranks().size()));
        const real sign = one.kind == pair_kind::symmetric ? 1.0F : -1.0F;
        const real half = 0.5F;
        fill_reals(x, 1);
        tensor<T> of_x(one.x);
        for_each_position(extents_t(one.x.size(), 0), one.x, [&](const extents_t &position) {
            at(of_x, position) = real_at<T>(position, 1);
        });
        tensor<T> expected(one.packed);
        one.for_each_pair([&](const extents_t &pq, const extents_t &qp, const extents_t &pair) {
            at(expected, pair) = at(of_x, pq) + sign * at(of_x, qp);
        });
        packed.fill(T(7));
        chem::pack_pairs(x, one.mode, one.kind, packed);
        EXPECT_TRUE(holds(packed, expected));
        EXPECT_TRUE(equal(packed.gather_all(), expected));

        chem::unpack_pairs(packed, one.mode, one.kind, x);
        one.for_each_pair([&](const extents_t &pq, const extents_t &qp, const extents_t &pair) {
            at(of_x, pq) += half * at(expected, pair);
            if (pq != qp)
                at(of_x, qp) += half * sign * at(expected, pair);
        });
        EXPECT_TRUE(holds(x, of_x));
        EXPECT_TRUE(equal(x.gather_all(), of_x));
    }
}

/// Both kinds add up to the tensor, over two pairs of modes.
TEST(DistPairsOfFour, AddUp) {
    const extents_t extents{5, 5, 4, 4};
    dist_tensor<double> t(ranks(), extents), sum_of_all(ranks(), extents);
    fill_values(t, 3);
    const auto count = [](index_t n, pair_kind kind) {
        return kind == pair_kind::symmetric ? chem::pair_count(n) : chem::strict_pair_count(n);
    };
    for (const pair_kind ab : {pair_kind::symmetric, pair_kind::antisymmetric})
        for (const pair_kind ij : {pair_kind::symmetric, pair_kind::antisymmetric}) {
            dist_tensor<double> half(ranks(), {count(5, ab), 4, 4});
            dist_tensor<double> packed(ranks(), {count(5, ab), count(4, ij)});
            chem::pack_pairs(t, 0, ab, half);
            chem::pack_pairs(half, 1, ij, packed);
            half.fill(0.0);
            chem::unpack_pairs(packed, 1, ij, half);
            chem::unpack_pairs(half, 0, ab, sum_of_all);
        }
    EXPECT_TRUE(equal(sum_of_all.gather_all(), make_values<double>(extents, 3)));
}

TEST(DistPairsOfFour, RefuseAlikeOnAllRanks) {
    const int size = ranks().size();
    dist_tensor<double> x(ranks(), {4, 4, 3}), packed(ranks(), {10, 3}), other(ranks(), {10, 4});
    const auto expect = [](errc code, const char *words, const auto &call) {
        const failure refused = failure_of(call);
        EXPECT_EQ(refused.code, code) << words;
        EXPECT_NE(refused.message.find(words), std::string::npos) << refused.message;
        EXPECT_TRUE(same_on_all_ranks(refused.message));
    };
    constexpr auto symmetric = pair_kind::symmetric;
    expect(errc::invalid_argument, "expected modes 2 and 3 among them",
           [&] { chem::pack_pairs(x, 2, symmetric, packed); });
    expect(errc::extent_mismatch, "X mode 1 has extent 4, X mode 2 has extent 3",
           [&] { chem::pack_pairs(x, 1, symmetric, packed); });
    expect(errc::extent_mismatch, "P mode 0 has extent 10: expected, as of X's modes, 6",
           [&] { chem::pack_pairs(x, 0, pair_kind::antisymmetric, packed); });
    expect(errc::extent_mismatch, "P mode 1 has extent 4: expected, as of X's modes, 3",
           [&] { chem::unpack_pairs(other, 0, symmetric, x); });
    expect(errc::order_mismatch, "P has 3 modes, X has 3: expected one less",
           [&] { chem::pack_pairs(x, 0, symmetric, x); });
    const world again(ranks().comm());
    dist_tensor<double> foreign(again, {10, 3});
    expect(errc::invalid_argument, "different worlds",
           [&] { chem::pack_pairs(x, 0, symmetric, foreign); });
    if (size == 1)
        return;
    const bool is_last = ranks().rank() == size - 1;
    expect(errc::disagreement, "kind: rank 0 passed symmetric",
           [&] { chem::pack_pairs(x, 0, is_last ? pair_kind::antisymmetric : symmetric, packed); });
    dist_tensor<double> copies(ranks(), {4, 4, 3}, distribution::replicated({4, 4, 3}, size, size));
    if (is_last)
        static_cast<void>(copies.local());
    expect(errc::invalid_argument, "call refresh()",
           [&] { chem::pack_pairs(copies, 0, symmetric, packed); });
    expect(errc::invalid_argument, "call refresh()",
           [&] { chem::unpack_pairs(packed, 0, symmetric, copies); });
}

} // namespace
} // namespace tenfold::testing
