#include "contract/tiles/tiles.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "contract/choose/matrix_problem.hpp"

namespace tenfold::contract_impl {
using einsum_impl::contraction_problem;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;

tile_extents tile_extents::whole(const contraction_problem &problem) {
    return {extents_of(problem.batch), extents_of(problem.m), extents_of(problem.n),
            extents_of(problem.k)};
}

extents_t &tile_extents::of(group_of_problem group) noexcept {
    return group == &contraction_problem::batch ? batch
           : group == &contraction_problem::m   ? m
           : group == &contraction_problem::n   ? n
                                                : k;
}

namespace {

/// The largest extent up to `tile` that divides `extent`, among those that are not much smaller. If
/// there is none, returns 1; tiles that long are as good in single steps.
index_t dividing_extent(index_t extent, index_t tile) noexcept {
    constexpr index_t tries = 4096;
    for (index_t one = tile; one > std::max<index_t>(1, tile - tries); --one)
        if (extent % one == 0)
            return one;
    return 1;
}

/// A mode whose last tile is shorter than the others.
struct ragged_mode {
    index_t extent;
    index_t *tile;
    index_t dividing = 0;

    double loss() const noexcept {
        return static_cast<double>(*tile) / static_cast<double>(dividing);
    }
};

} // namespace

tile_extents with_few_remainders(tile_extents tiles, const contraction_problem &problem) {
    std::vector<ragged_mode> ragged;
    const auto collect = [&ragged](const mode_group &modes, extents_t &extents) {
        for (std::size_t i = 0; i < modes.size(); ++i)
            if (modes[i].extent % extents[i] != 0)
                ragged.push_back({modes[i].extent, &extents[i]});
    };
    collect(problem.batch, tiles.batch);
    collect(problem.m, tiles.m);
    collect(problem.n, tiles.n);
    collect(problem.k, tiles.k);
    if (ragged.size() <= most_ragged_modes)
        return tiles;
    for (ragged_mode &one : ragged)
        one.dividing = dividing_extent(one.extent, *one.tile);
    std::stable_sort(ragged.begin(), ragged.end(), [](const ragged_mode &x, const ragged_mode &y) {
        return x.loss() > y.loss();
    });
    for (std::size_t i = most_ragged_modes; i < ragged.size(); ++i)
        *ragged[i].tile = ragged[i].dividing;
    return tiles;
}

tiling::tiling(const contraction_problem &problem, const tile_extents &extents, bool innermost_n) {
    if (innermost_n)
        cut(problem, &contraction_problem::n, extents.n, places_);
    cut(problem, &contraction_problem::m, extents.m, places_);
    if (!innermost_n)
        cut(problem, &contraction_problem::n, extents.n, places_);
    cut(problem, &contraction_problem::batch, extents.batch, places_);
    cut(problem, &contraction_problem::k, extents.k, sums_);
}

void tiling::cut(const contraction_problem &problem, group_of_problem group,
                 const extents_t &extents, tile_loops &into) {
    const mode_group &modes = problem.*group;
    for (std::size_t i = 0; i < modes.size(); ++i) {
        const index_t tile = extents[i];
        const index_t count = base::divide_up(modes[i].extent, tile);
        if (count == 1)
            continue;
        problem_mode from_tile_to_tile = modes[i];
        from_tile_to_tile.extent = count;
        for (index_t &stride : from_tile_to_tile.stride)
            stride *= tile;
        into.modes.push_back(std::move(from_tile_to_tile));
        const index_t last = modes[i].extent - (count - 1) * tile;
        into.cuts.push_back({group, i, tile, last, last < tile ? 1u << ragged_modes_++ : 0});
    }
}

contraction_problem tiling::tile(const contraction_problem &problem, unsigned kind) const {
    contraction_problem one;
    one.batch = problem.batch;
    one.m = problem.m;
    one.n = problem.n;
    one.k = problem.k;
    one.isolated_a = problem.isolated_a;
    one.isolated_b = problem.isolated_b;
    one.type = problem.type;
    one.computed = problem.computed;
    one.conjugate = problem.conjugate;
    one.unary = problem.unary;
    for (const tile_loops *loops : {&places_, &sums_})
        for (const cut_mode &cut : loops->cuts)
            (one.*cut.group)[cut.place].extent = (kind & cut.ragged) != 0 ? cut.last : cut.tile;
    for (mode_group *group : {&one.batch, &one.m, &one.n, &one.k})
        std::erase_if(*group, [](const problem_mode &mode) { return mode.extent == 1; });
    return one;
}

std::string tiling::describe() const {
    std::string text;
    for (const tile_loops *loops : {&places_, &sums_})
        for (std::size_t i = 0; i < loops->modes.size(); ++i)
            text += (text.empty() ? "" : ", ") + loops->modes[i].label + " in " +
                    std::to_string(loops->modes[i].extent) + " of " +
                    std::to_string(loops->cuts[i].tile);
    return text;
}

} // namespace tenfold::contract_impl
