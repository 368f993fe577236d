// Tests how contractions are cut into tiles.
#include <algorithm>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "base/context_of.hpp"
#include "contract/choose/planner.hpp"
#include "contract/reference/reference.hpp"
#include "contract/tiles/moves.hpp"
#include "contract/tiles/tile_shape.hpp"
#include "contract/tiles/tiled.hpp"
#include "support/guarded.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::contraction_problem;
using einsum_impl::D;

/// Ten free modes of extent 3, none of which fuse, and two summed modes.
struct many_modes {
    static constexpr int count = 5;
    std::vector<double> a, b, d;
    contraction_problem problem;

    many_modes() {
        contraction_spec spec;
        std::vector<label_t> m, n, k;
        const auto add = [&spec](std::vector<label_t> &to) {
            to.push_back(static_cast<label_t>(spec.label_names.size()));
            spec.label_names.push_back("x" + std::to_string(spec.label_names.size()));
        };
        for (int i = 0; i < count; ++i) {
            add(m);
            add(n);
        }
        add(k);
        add(k);
        spec.inputs = {joined(m, k), joined(n, k)};
        spec.output = joined(n, m);
        std::reverse(spec.output.begin(), spec.output.end());
        const extents_t in(count + 2, 3), out(2 * count, 3);
        a.resize(2187);
        b.resize(2187);
        d.resize(59049);
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = static_cast<double>(i * 7 % 11) - 5;
            b[i] = static_cast<double>(i * 5 % 13) - 6;
        }
        const std::vector<input> inputs{input(data_type::f64, a.data(), layout(in)),
                                        input(data_type::f64, b.data(), layout(in))};
        const output target(data_type::f64, d.data(), layout(out));
        problem = einsum_impl::make_problem(spec, inputs, target, target, false);
    }

    static std::vector<label_t> joined(std::vector<label_t> one,
                                       const std::vector<label_t> &other) {
        one.insert(one.end(), other.begin(), other.end());
        return one;
    }
};

plan_environment on_one_thread() {
    plan_environment environment;
    environment.ctx = &context::global();
    environment.threads = 1;
    return environment;
}

TEST(Tiles, FewModesLeaveARemainder) {
    many_modes x;
    ASSERT_GE(x.problem.m.size() + x.problem.n.size(), 8U) << "modes have been fused";
    tiled_form form;
    form.extents = tile_extents::whole(x.problem);
    for (extents_t *group : {&form.extents.m, &form.extents.n, &form.extents.k})
        for (index_t &extent : *group)
            extent = 2;
    form.extents = with_few_remainders(form.extents, x.problem);
    const tiling tiles(x.problem, form.extents, true);
    EXPECT_EQ(tiles.kinds(), 1U << most_ragged_modes);

    form.choice = arranger(x.problem).choices().back();
    form.choice.move = {true, true, true};
    const auto environment = on_one_thread();
    const cost_model model(data_type::f64, gemm_impl::gemm_plan_options::from(*environment.ctx),
                           base::rates_of(*environment.ctx));
    const candidate_ptr tiled = make_tiled(x.problem, form, model, environment);
    std::vector<double> expected(x.d.size(), 0);
    reference_contract(reference_loops(x.problem),
                       {1.0, x.a.data(), x.b.data(), 0.0, expected.data()}, expected.data());
    testing::guarded_buffer workspace(static_cast<std::size_t>(tiled->workspace().value));
    tiled->execute({1.0, x.a.data(), x.b.data(), 0.0, x.d.data()}, x.d.data(), workspace.data());
    EXPECT_EQ(x.d, expected);
    EXPECT_TRUE(workspace.guards_intact());
}

TEST(Tiles, ARemainderOfMKeepsThePackedB) {
    many_modes x;
    tile_extents extents = tile_extents::whole(x.problem);
    extents.m.front() = 2; // of 3
    const tiling tiles(x.problem, extents, true);
    ASSERT_EQ(tiles.kinds(), 2U);
    arrangement choice = arranger(x.problem).choices().back();
    choice.move = {true, true, true};
    const contraction_problem full = tiles.tile(x.problem, 0), last = tiles.tile(x.problem, 1);
    const auto one = arranger(full).arrange(choice).moves;
    const auto other = arranger(last).arrange(choice).moves;
    EXPECT_TRUE(move_alike(one[einsum_impl::B], other[einsum_impl::B], einsum_impl::B));
    EXPECT_FALSE(move_alike(one[einsum_impl::A], other[einsum_impl::A], einsum_impl::A));
    EXPECT_FALSE(move_alike(one[D], other[D], D));
}

TEST(Tiles, RemaindersStayWhereDividingCostsMost) {
    contraction_problem problem;
    problem.type.fill(data_type::f64);
    for (const index_t extent : {12, 13, 35, 17, 60, 19, 23})
        problem.m.push_back({extent, {1, 0, 1, 1}, "x"});
    tile_extents tiles = tile_extents::whole(problem);
    tiles.m = {5, 6, 6, 7, 8, 9, 23};
    EXPECT_EQ(with_few_remainders(tiles, problem).m, (extents_t{4, 6, 5, 7, 8, 9, 23}))
        << "12 and 35 have divisors next to 5 and 6";
    tiles.m = {12, 13, 6, 7, 8, 9, 23};
    EXPECT_EQ(with_few_remainders(tiles, problem), tiles) << "four remainders are few";
}

TEST(Tiles, EveryShapeHasFewRemainders) {
    const many_modes x;
    contraction_problem problem = x.problem; // only sizes are used, not strides
    for (auto *group : {&problem.m, &problem.n, &problem.k})
        for (auto &mode : *group)
            mode.extent = 41;
    const tile_shaper shaper(problem, {true, true, true});
    for (const cut_first first :
         {cut_first::far_apart, cut_first::m, cut_first::n, cut_first::summed})
        for (double most = 1e12; most > 100; most /= 3)
            if (const auto tiles = shaper.shape(most, first)) {
                EXPECT_LE(tiling(problem, *tiles, true).kinds(), 1U << most_ragged_modes);
            }
    EXPECT_LE(tiling(problem, shaper.smallest(), true).kinds(), 1U << most_ragged_modes);
}

TEST(Tiles, ShapesKeepTheirSize) {
    const input a(data_type::f64, nullptr, layout({60, 50, 40}));
    const input b(data_type::f64, nullptr, layout({40, 70, 50}));
    const output d(data_type::f64, nullptr, layout({70, 60}));
    const auto problem = einsum_impl::make_problem(parse("ba=akl*lbk"), std::vector{a, b}, d, d,
                                                   /*diagonal_output=*/false);
    const tile_shaper shaper(problem, {true, true, true});
    for (const cut_first first :
         {cut_first::far_apart, cut_first::m, cut_first::n, cut_first::summed})
        for (const double most : {1e6, 1e5, 3e4, 1.7e4, 1e4, 2e3}) {
            const auto tiles = shaper.shape(most, first);
            ASSERT_TRUE(tiles) << most;
            const index_t m = tiles->m[0], n = tiles->n[0];
            const index_t k = tiles->k[0] * tiles->k[1];
            EXPECT_LE(static_cast<double>(m * k + k * n + m * n), most);
            EXPECT_GE(k, 32) << "D is not read again for fewer steps";
        }
    EXPECT_FALSE(shaper.shape(1e3, cut_first::far_apart)) << "lines are kept whole";
}

TEST(Tiles, PartsOfSumsKeepLines) {
    // Positions of f are 24 bytes apart in B, so that a tile of two of them would read a part of a
    // cache line again and again.
    const input a(data_type::f64, nullptr, layout({52, 13, 43, 9, 5}));
    const input b(data_type::f64, nullptr, layout({3, 43, 40, 52, 9, 5}));
    const output d(data_type::f64, nullptr, layout({3, 5, 40, 13}));
    const auto problem =
        einsum_impl::make_problem(parse("abcd=edfgb*afcegb"), std::vector{a, b}, d, d,
                                  /*diagonal_output=*/false);
    const auto at =
        static_cast<std::size_t>(std::find_if(problem.k.begin(), problem.k.end(),
                                              [](const auto &mode) { return mode.extent == 43; }) -
                                 problem.k.begin());
    for (const cut_first first : {cut_first::far_apart, cut_first::summed})
        for (double most = 1e6; most > 1e3; most /= 2)
            if (const auto tiles = tile_shaper(problem, {false, true, true}).shape(most, first)) {
                EXPECT_GE(3 * 8 * tiles->k[at], 2 * 64);
            }
}

TEST(Tiles, ShortPiecesOfDAreWholeLines) {
    // Columns of 24 numbers are one and a half cache lines.
    const input a(data_type::f32, nullptr, layout({24, 20, 24, 20}));
    const input b(data_type::f32, nullptr, layout({24, 20, 24, 20}));
    const output d(data_type::f32, nullptr, layout({24, 20, 20, 24, 20, 20}));
    const auto problem = einsum_impl::make_problem(parse("abcdef=degb*gfac"), std::vector{a, b}, d,
                                                   d, /*diagonal_output=*/false);
    const auto second = [](const einsum_impl::problem_mode &mode) { return mode.stride[D] == 24; };
    const auto place = static_cast<std::size_t>(
        std::find_if(problem.m.begin(), problem.m.end(), second) - problem.m.begin());
    ASSERT_LT(place, problem.m.size());
    const tile_shaper shaper(problem, {true, false, true});
    int cuts = 0;
    for (double most = 4e6; most > 1e5; most /= 1.3)
        if (const auto tiles = shaper.shape(most, cut_first::far_apart)) {
            const index_t extent = tiles->m[place];
            cuts += extent > 1 && extent < 20;
            EXPECT_TRUE(extent == 1 || extent % 2 == 0) << extent << " of " << most;
        }
    EXPECT_GT(cuts, 0);
}

} // namespace
} // namespace tenfold::contract_impl
