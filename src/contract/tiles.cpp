#include "contract/tiles.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::contraction_problem;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;

extents_t extents_of(const mode_group &group) {
    extents_t extents;
    for (const problem_mode &mode : group)
        extents.push_back(mode.extent);
    return extents;
}

index_t tiles_of(const std::vector<cut_mode> &modes) noexcept {
    index_t count = 1; // at most the positions of the modes, whose product fits
    for (const cut_mode &mode : modes)
        count *= mode.count;
    return count;
}

} // namespace

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
    place_count_ = tiles_of(places_);
    sum_count_ = tiles_of(sums_);
}

void tiling::cut(group_of_problem group, const extents_t &extents, std::vector<cut_mode> &into) {
    const mode_group &modes = whole_.*group;
    for (std::size_t i = 0; i < modes.size(); ++i) {
        const index_t tile = extents[i];
        const index_t count = base::divide_up(modes[i].extent, tile);
        if (count == 1)
            continue;
        cut_mode one{group, i, count,         tile, modes[i].extent - (count - 1) * tile,
                     {},    0, modes[i].label};
        for (std::size_t t = 0; t < one.step.size(); ++t)
            one.step[t] = modes[i].stride[t] * tile;
        if (one.last < tile)
            one.ragged = 1u << ragged_modes_++;
        into.push_back(std::move(one));
    }
}

contraction_problem tiling::tile(unsigned kind) const {
    contraction_problem one = whole_;
    for (const auto *cuts : {&places_, &sums_})
        for (const cut_mode &cut : *cuts)
            (one.*cut.group)[cut.place].extent = (kind & cut.ragged) != 0 ? cut.last : cut.tile;
    for (mode_group *group : {&one.batch, &one.m, &one.n, &one.k})
        std::erase_if(*group, [](const problem_mode &mode) { return mode.extent == 1; });
    return one;
}

std::string tiling::describe() const {
    std::string text;
    for (const auto *cuts : {&places_, &sums_})
        for (const cut_mode &cut : *cuts)
            text += (text.empty() ? "" : ", ") + cut.label + " in " + std::to_string(cut.count) +
                    " of " + std::to_string(cut.tile);
    return text;
}

} // namespace tenfold::contract_impl
