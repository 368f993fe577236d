// Tests tenfold::chem with distributed tensors: blocks of integrals that each rank fills, and DIIS.
#include <gtest/gtest.h>

#include <numeric>

#include <tenfold/chem_diis.hpp>
#include <tenfold/chem_integrals.hpp>
#include <tenfold/dist_operations.hpp>

namespace tenfold::testing {
namespace {

TEST(DistChem, RanksFillTheirBlocksOfIntegrals) {
    const index_t o = 3, v = 4;
    chem::integrals all;
    all.orbitals = o + v;
    all.two_electron.resize(
        static_cast<std::size_t>(chem::pair_count(chem::pair_count(all.orbitals))));
    std::iota(all.two_electron.begin(), all.two_electron.end(), 1.0);
    const chem::ordered_integrals g(all, {2, 0, 5, 1, 3, 6, 4});
    const world ranks(MPI_COMM_WORLD);
    dist_tensor<double> vovo(ranks, {v, o, v, o});
    vovo.fill([&](const extents_t &at, tensor_view<double> block) {
        g.write({o + at[0], at[1], o + at[2], at[3]}, block);
    });
    const tensor<double> whole = vovo.gather_all();
    const tensor<double> expected = g.block({o, 0, o, 0}, {v, o, v, o});
    for (index_t k = 0; k < whole.size(); ++k)
        ASSERT_EQ(whole.data()[k], expected.data()[k]) << k;
}

/// x <- x + A (1 - x) with a diagonal A.
template <class Tensor, class Step>
void iterate(Tensor &x, Tensor &r, chem::diis<Tensor> &accelerate, const Step &step) {
    for (int iteration = 0; iteration < 5; ++iteration) {
        step();
        accelerate.extrapolate({&x}, {&r});
    }
}

TEST(DistChem, DiisIsThatOfOneRank) {
    const extents_t extents{5, 6};
    const auto step = [](index_t row, index_t column, double &x, double &r) {
        r = (0.3 + 0.25 * static_cast<double>((row + column) % 7)) * (1.0 - x);
        x += r;
    };
    tensor<double> x(extents), r(extents);
    chem::diis<tensor<double>> alone(4);
    iterate(x, r, alone, [&] {
        for (index_t j = 0; j < 6; ++j)
            for (index_t i = 0; i < 5; ++i)
                step(i, j, x(i, j), r(i, j));
    });

    const world ranks(MPI_COMM_WORLD);
    for (const bool copies : {false, true}) {
        const distribution spread =
            copies ? distribution::replicated(extents, ranks.size(), ranks.size())
                   : distribution::block(extents, ranks.size());
        dist_tensor<double> dx(ranks, extents, spread), dr(ranks, extents, spread);
        chem::diis<dist_tensor<double>> together(4, dot<double>);
        iterate(dx, dr, together, [&] {
            const slice own = dx.local_slice();
            const tensor_view<double> lx = dx.local(), lr = dr.local();
            for (index_t j = 0; j < own.extents[1]; ++j)
                for (index_t i = 0; i < own.extents[0]; ++i)
                    step(own.offsets[0] + i, own.offsets[1] + j, lx(i, j), lr(i, j));
            dx.refresh();
            dr.refresh();
        });
        EXPECT_EQ(together.size(), alone.size());
        const tensor<double> whole = dx.gather_all();
        for (index_t k = 0; k < whole.size(); ++k)
            ASSERT_NEAR(whole.data()[k], x.data()[k], 1e-10) << k;
    }
}

} // namespace
} // namespace tenfold::testing
