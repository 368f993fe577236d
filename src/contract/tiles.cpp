#include "contract/tiles.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "contract/matrix_problem.hpp"

namespace tenfold::contract_impl {
using einsum_impl::contraction_problem;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;

tile_extents tile_extents::whole(const contraction_problem &problem) {
    return {extents_of(problem.batch), extents_of(problem.m), extents_of(problem.n),
            extents_of(problem.k)};
}

tiling::tiling(const contraction_problem &problem, const tile_extents &extents, bool innermost_n)
    : whole_(problem) {
    if (innermost_n)
        cut(&contraction_problem::n, extents.n, places_);
    cut(&contraction_problem::m, extents.m, places_);
    if (!innermost_n)
        cut(&contraction_problem::n, extents.n, places_);
    cut(&contraction_problem::batch, extents.batch, places_);
    cut(&contraction_problem::k, extents.k, sums_);
}

void tiling::cut(group_of_problem group, const extents_t &extents, tile_loops &into) {
    const mode_group &modes = whole_.*group;
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

contraction_problem tiling::tile(unsigned kind) const {
    contraction_problem one = whole_;
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
