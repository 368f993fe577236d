#include "contract/tiles/tile_shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "base/checked.hpp"
#include "contract/tiles/arrangement.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::all_but_c;
using einsum_impl::B;
using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::extent_of;
using einsum_impl::problem_mode;
using einsum_impl::tensor_id;

/// The shortest part of a sum that justifies reading D again.
constexpr index_t least_steps = 32;

/// The number of positions between tile ends that coincide with line ends. A line shared by two
/// tiles is written twice, in parts, by non-temporal stores; that is costly for runs of a few lines
/// only, so longer runs get 1.
index_t grain_of_lines(const problem_mode &mode, index_t element) {
    constexpr index_t line = 64;
    constexpr index_t short_piece = 16 * line;
    const index_t step = std::abs(mode.stride[D]) * element;
    return step < short_piece ? line / std::gcd(line, step) : 1;
}

/// The extents with which boxes of an element-wise product have whole lines of every tensor: the
/// modes of each tensor's first elements, as many of them as make up `run` in a row.
extents_t extents_of_runs(const einsum_impl::mode_group &modes, index_t run) {
    extents_t least(modes.size(), 1);
    for (const tensor_id t : all_but_c) {
        std::vector<std::size_t> order(modes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto step = [&](std::size_t i) { return std::abs(modes[i].stride[t]); };
        std::sort(order.begin(), order.end(),
                  [&](std::size_t i, std::size_t j) { return step(i) < step(j); });
        index_t elements = 1;
        for (const std::size_t i : order) {
            if (step(i) == 0)
                continue;
            if (elements >= run || step(i) >= run)
                break;
            const index_t wanted = std::min(modes[i].extent, base::divide_up(run, elements));
            least[i] = std::max(least[i], wanted);
            elements *= wanted;
        }
    }
    return least;
}

} // namespace

tile_shaper::tile_shaper(const contraction_problem &problem, const std::array<bool, 3> &move)
    : problem_(problem), move_(move) {
    if (is_elementwise(problem)) {
        add_elementwise();
        return;
    }
    add(&contraction_problem::batch, {true, true, true});
    add(&contraction_problem::m, {true, false, true});
    add(&contraction_problem::n, {false, true, true});
    add(&contraction_problem::k, {true, true, false});
    const auto kept = [&](tensor_id t, const einsum_impl::mode_group &isolated) {
        const bool sums = sums_while_moving(problem.type[t]) &&
                          (problem.multiplies_as_stored() || problem.type[t] == problem.computed);
        return sums ? 1 : real(extent_of(isolated)); // summed during the move
    };
    isolated_ = {kept(A, problem.isolated_a), kept(einsum_impl::B, problem.isolated_b), 1};
}

void tile_shaper::add(group_of_problem group, const std::array<bool, 3> &in) {
    const index_t element = size_of(problem_.type[D]);
    const index_t line = std::max<index_t>(1, 64 / element);
    const bool writes_d = move_[D] && in[D];
    const einsum_impl::mode_group &modes = problem_.*group;
    for (std::size_t i = 0; i < modes.size(); ++i) {
        bool moved = false;
        index_t nearest =
            2 * line; // elements to the next position, in the tensor where it is nearest
        double distance = 1;
        for (const tensor_id t : all_but_c) {
            const index_t step = std::abs(modes[i].stride[t]);
            if (step > 0)
                nearest = std::min(nearest, step);
            if (move_[t] && in[t]) {
                moved = true;
                distance = std::max(distance, real(step));
            }
        }
        if (!moved)
            continue;
        // Tiles that end within lines fetch them again: what lies side by side keeps two of them,
        // and in sums, of which smaller parts are tried, what lies on one line as well.
        const bool keeps_lines = nearest == 1 || !in[D];
        const index_t least = keeps_lines ? base::divide_up(2 * line, nearest) : 1;
        modes_.push_back({group, i, modes[i].extent, std::min(modes[i].extent, least),
                          writes_d ? grain_of_lines(modes[i], element) : 1, distance, in});
    }
}

/// Every tensor passes through the caches once, whether it moves or not: what lies near in any of
/// them is cut last.
void tile_shaper::add_elementwise() {
    const index_t line = std::max<index_t>(1, 64 / size_of(problem_.type[D]));
    const einsum_impl::mode_group &modes = problem_.batch;
    const extents_t least = extents_of_runs(modes, 2 * line);
    for (std::size_t i = 0; i < modes.size(); ++i) {
        std::array<bool, 3> in{};
        bool moved = false;
        double nearest = std::numeric_limits<double>::infinity();
        for (const tensor_id t : all_but_c) {
            const index_t step = std::abs(modes[i].stride[t]);
            in[t] = step != 0;
            moved = moved || (move_[t] && in[t]);
            if (in[t])
                nearest = std::min(nearest, real(step));
        }
        if (moved)
            modes_.push_back({&contraction_problem::batch, i, modes[i].extent, least[i],
                              move_[D] ? grain_of_lines(modes[i], size_of(problem_.type[D])) : 1,
                              nearest, in});
    }
}

double tile_shaper::moved_elements(const extents_t &tile) const {
    double total = 0;
    for (std::size_t t = 0; t < move_.size(); ++t) {
        if (!move_[t])
            continue;
        double elements = isolated_[t];
        for (std::size_t i = 0; i < modes_.size(); ++i)
            if (modes_[i].in[t])
                elements *= real(tile[i]);
        total += elements;
    }
    return total;
}

/// The least extent of a mode; the steps of several summed modes count together as steps of one
/// sum.
index_t tile_shaper::least_extent(const extents_t &tile, std::size_t mode) const {
    const cuttable_mode &one = modes_[mode];
    if (one.in[D])
        return one.least;
    index_t others = 1;
    for (std::size_t i = 0; i < modes_.size() && others < least_steps; ++i)
        if (i != mode && !modes_[i].in[D])
            others *= std::min(tile[i], least_steps);
    return std::min(one.extent, std::max(one.least, base::divide_up(least_steps, others)));
}

/// The next mode to cut: free modes first, in order of their distance in the moved tensors; sums
/// last, because every part of a sum reads D again. Returns the number of modes if none can be cut.
std::size_t tile_shaper::next_to_cut(const extents_t &tile, cut_first first) const {
    std::size_t best = modes_.size();
    double best_rank = 0;
    for (std::size_t i = 0; i < modes_.size(); ++i) {
        const cuttable_mode &one = modes_[i];
        const index_t least = least_extent(tile, i);
        if (tile[i] <= least)
            continue;
        const auto &[in_a, in_b, in_d] = one.in;
        const bool preferred = (first == cut_first::m && in_a && in_d) ||
                               (first == cut_first::n && in_b && in_d) ||
                               (first == cut_first::summed && !in_d);
        double rank = one.distance;
        if (least > 1)
            rank *= 1e-20;
        if (!in_d)
            rank *= 1e-40;
        if (preferred)
            rank *= 1e100;
        if (best == modes_.size() || rank > best_rank) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

tile_extents tile_shaper::extents_of_tile(const extents_t &tile) const {
    tile_extents extents = tile_extents::whole(problem_);
    for (std::size_t i = 0; i < modes_.size(); ++i)
        extents.of(modes_[i].group)[modes_[i].place] = tile[i];
    return with_few_remainders(std::move(extents), problem_);
}

std::optional<tile_extents> tile_shaper::shape(double most_elements, cut_first first) const {
    extents_t tile;
    for (const cuttable_mode &one : modes_)
        tile.push_back(one.extent);
    for (double moved; (moved = moved_elements(tile)) > most_elements;) {
        const std::size_t next = next_to_cut(tile, first);
        if (next == modes_.size())
            return std::nullopt;
        index_t &extent = tile[next];
        const index_t least = least_extent(tile, next);
        const index_t grain = modes_[next].grain;
        // Cuts as much as needed, into tiles of nearly equal extent.
        const double excess = std::ceil(moved / std::max(1.0, most_elements));
        const double most = real(base::divide_up(extent, least));
        const auto count = static_cast<index_t>(std::min(excess, most));
        extent = std::max(least, base::divide_up(extent, count));
        if (extent > least && least > 1)
            extent = std::max(least, extent / least * least);
        else if (extent > grain)
            extent = std::max(least, extent / grain * grain);
    }
    return extents_of_tile(tile);
}

tile_extents tile_shaper::smallest() const {
    extents_t tile;
    for (const cuttable_mode &one : modes_)
        tile.push_back(one.in[D] ? one.least
                                 : std::min(one.extent, std::max(one.least, least_steps)));
    return extents_of_tile(tile);
}

} // namespace tenfold::contract_impl
