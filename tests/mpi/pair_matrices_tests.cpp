// Tests both matrices of pairs of a distributed tensor against loops over all elements.
#include <string>

#include <tenfold/dist_operations.hpp>
#include <tenfold/dist_pairs.hpp>

#include "mpi/operation_cases.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

using chem::pair_count;
using chem::pair_index;

struct matrices {
    tensor<double> plus, minus;

    explicit matrices(const extents_t &of)
        : plus({pair_count(of[0]), pair_count(of[2])}), minus(plus.shape().extents()) {}

    void pack(const tensor<double> &x, bool half_diagonal) {
        for_each_position({0, 0, 0, 0}, x.shape().extents(), [&](const extents_t &at) {
            const index_t p = at[0], q = at[1], r = at[2], s = at[3];
            if (p < q || r < s)
                return;
            const double half = half_diagonal && p == q ? 0.5 : 1.0;
            plus(pair_index(p, q), pair_index(r, s)) = half * (x(p, q, r, s) + x(q, p, r, s));
            minus(pair_index(p, q), pair_index(r, s)) = x(p, q, r, s) - x(q, p, r, s);
        });
    }
    double unpacked(index_t p, index_t q, index_t r, index_t s) const {
        if (r < s)
            return unpacked(q, p, s, r);
        const double sign = p >= q ? 0.5 : -0.5;
        const index_t pq = pair_index(p, q), rs = pair_index(r, s);
        return 0.5 * plus(pq, rs) + sign * minus(pq, rs);
    }
};

TEST(DistPairMatrices, AsLoopsOverAllElements) {
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const index_t n = random.integer(0, 9), m = random.integer(0, 5);
        const bool half = random.chance(0.5);
        const extents_t extents{n, n, m, m}, pairs{pair_count(n), pair_count(m)};
        const distribution alike = random_distribution(random, pairs, ranks().size());
        dist_tensor<double> x(ranks(), extents,
                              random_distribution(random, extents, ranks().size()));
        dist_tensor<double> plus(ranks(), pairs, alike), minus(ranks(), pairs, alike);
        plus.fill(7);
        minus.fill(7);
        fill_values(x, 1);
        tensor<double> of_x = make_values<double>(extents, 1);
        matrices expected(extents);
        expected.pack(of_x, half);
        chem::pack_pair_matrices(x, plus, minus, half);
        EXPECT_TRUE(holds(plus, expected.plus));
        EXPECT_TRUE(holds(minus, expected.minus));
        EXPECT_TRUE(equal(plus.gather_all(), expected.plus));

        // Of any two matrices, the second one with 0 for equal indices.
        const auto fill_minus = [](const extents_t &offsets, const tensor_view<double> &block) {
            double *next = block.data();
            for_each_position(offsets, block.shape().extents(), [&](const extents_t &at) {
                const auto [p, q] = chem::pair_at(at[0]);
                const auto [r, s] = chem::pair_at(at[1]);
                *next++ = p == q || r == s ? 0.0 : value_at<double>(at, 3);
            });
        };
        fill_values(plus, 2);
        minus.fill(fill_minus);
        expected.plus = make_values<double>(pairs, 2);
        fill_minus({0, 0}, expected.minus.view());
        chem::unpack_pair_matrices(plus, minus, x);
        for_each_position({0, 0, 0, 0}, extents, [&](const extents_t &at) {
            of_x(at[0], at[1], at[2], at[3]) += expected.unpacked(at[0], at[1], at[2], at[3]);
        });
        EXPECT_TRUE(holds(x, of_x));
        EXPECT_TRUE(equal(x.gather_all(), of_x));
    }
}

TEST(DistPairMatrices, RefuseAlikeOnAllRanks) {
    dist_tensor<double> x(ranks(), {4, 4, 3, 3}), plus(ranks(), {10, 6}), minus(ranks(), {10, 6});
    dist_tensor<double> skewed(ranks(), {4, 4, 3, 2}), cube(ranks(), {4, 4, 3});
    dist_tensor<double> small(ranks(), {6, 6}), vector(ranks(), {10});
    const auto expect = [](errc code, const char *words, const auto &call) {
        const failure refused = failure_of(call);
        EXPECT_EQ(refused.code, code) << words;
        EXPECT_NE(refused.message.find(words), std::string::npos) << refused.message;
        EXPECT_TRUE(same_on_all_ranks(refused.message));
    };
    expect(errc::order_mismatch, "X has 3 modes: expected 4",
           [&] { chem::pack_pair_matrices(cube, plus, minus); });
    expect(errc::extent_mismatch, "X mode 2 has extent 3, X mode 3 has extent 2",
           [&] { chem::pack_pair_matrices(skewed, plus, minus); });
    expect(errc::extent_mismatch, "minus mode 0 has extent 6: expected, as of X's modes, 10",
           [&] { chem::pack_pair_matrices(x, plus, small); });
    expect(errc::order_mismatch, "plus has 1 modes: expected 2",
           [&] { chem::unpack_pair_matrices(vector, minus, x); });
    const world again(ranks().comm());
    dist_tensor<double> foreign(again, {10, 6});
    expect(errc::invalid_argument, "different worlds",
           [&] { chem::unpack_pair_matrices(plus, foreign, x); });
    const int size = ranks().size();
    if (size == 1)
        return;
    dist_tensor<double> last(ranks(), {10, 6}, distribution::on_rank({10, 6}, size, size - 1));
    expect(errc::invalid_argument, "plus and minus have different distributions",
           [&] { chem::pack_pair_matrices(x, plus, last); });
    expect(errc::disagreement, "half_diagonal: rank 0 passed",
           [&] { chem::pack_pair_matrices(x, plus, minus, ranks().rank() == size - 1); });
    const auto copies = [&](const extents_t &extents) {
        return dist_tensor<double>(ranks(), extents, distribution::replicated(extents, size, size));
    };
    dist_tensor<double> everywhere = copies({4, 4, 3, 3});
    if (ranks().rank() == size - 1)
        static_cast<void>(everywhere.local());
    expect(errc::invalid_argument, "call refresh()",
           [&] { chem::pack_pair_matrices(everywhere, plus, minus); });
    expect(errc::invalid_argument, "call refresh()",
           [&] { chem::unpack_pair_matrices(plus, minus, everywhere); });
}

} // namespace
} // namespace tenfold::testing
