// Which tiles and which moves inside them make fused packing cheapest.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "contract/fused.hpp"
#include "contract/gemm_nest.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::extent_of;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;
using einsum_impl::tensor_id;

double real(index_t n) noexcept { return static_cast<double>(n); }

constexpr std::array tensor_of{A, B, D}; ///< by what arrangement::move is indexed with

/// A mode that tiles may cut, with what is decided about it.
struct candidate_mode {
    const problem_mode *mode;
    index_t *tile;
    bool summed;
};

/// A tile in the making: cut until what is moved fits.
class tile_shaper {
public:
    tile_shaper(const contraction_problem &problem, const std::array<bool, 3> &move, index_t line)
        : problem_(problem), move_(move), line_(line), extents_(tile_extents::whole(problem)) {
        add(problem.batch, extents_.batch, false);
        add(problem.m, extents_.m, false);
        add(problem.n, extents_.n, false);
        add(problem.k, extents_.k, true);
    }

    /// Empty if no tile is small enough.
    std::optional<tile_extents> shape(index_t most_elements) {
        while (moved_elements() > most_elements) {
            candidate_mode *const one = next_to_cut();
            if (one == nullptr)
                return std::nullopt;
            const index_t least = least_extent(*one);
            // As much as is needed, in tiles of nearly equal extent.
            const index_t excess = (moved_elements() + most_elements - 1) / most_elements;
            const index_t count = std::min(excess, (*one->tile + least - 1) / least);
            *one->tile = std::max(least, (*one->tile + count - 1) / count);
            if (*one->tile > least && least > 1)
                *one->tile = std::max(least, *one->tile / least * least);
        }
        return extents_;
    }

private:
    void add(const mode_group &group, extents_t &tiles, bool summed) {
        for (std::size_t i = 0; i < group.size(); ++i)
            modes_.push_back({&group[i], &tiles[i], summed});
    }

    index_t moved_elements() const {
        index_t total = 0;
        for (std::size_t t = 0; t < tensor_of.size(); ++t) {
            index_t elements = move_[t] ? 1 : 0;
            for (const candidate_mode &one : modes_)
                if (one.mode->stride[tensor_of[t]] != 0)
                    elements *= *one.tile;
            total += elements;
        }
        return total;
    }

    bool is_moved(const candidate_mode &one) const {
        for (std::size_t t = 0; t < tensor_of.size(); ++t)
            if (move_[t] && one.mode->stride[tensor_of[t]] != 0)
                return true;
        return false;
    }

    /// Modes along which some tensor's elements are adjacent keep whole cache lines, two of them
    /// where D's are written.
    index_t least_extent(const candidate_mode &one) const {
        for (const tensor_id t : tensor_of)
            if (std::abs(one.mode->stride[t]) == 1)
                return std::min(one.mode->extent, 2 * line_);
        return one.summed ? std::min<index_t>(one.mode->extent, 32) : 1;
    }

    /// Free modes first, those that lie far apart in the moved tensors; sums last, because every
    /// part of one reads D again.
    candidate_mode *next_to_cut() {
        candidate_mode *best = nullptr;
        double best_rank = 0;
        for (candidate_mode &one : modes_) {
            const index_t least = least_extent(one);
            if (*one.tile <= least || !is_moved(one))
                continue;
            double rank = 1;
            for (std::size_t t = 0; t < tensor_of.size(); ++t)
                if (move_[t] && one.mode->stride[tensor_of[t]] != 0)
                    rank = std::max(rank, real(std::abs(one.mode->stride[tensor_of[t]])));
            if (least > 1)
                rank *= 1e-20;
            if (one.summed)
                rank *= 1e-40;
            if (best == nullptr || rank > best_rank) {
                best = &one;
                best_rank = rank;
            }
        }
        return best;
    }

    const contraction_problem &problem_;
    std::array<bool, 3> move_;
    index_t line_; ///< elements
    tile_extents extents_;
    std::vector<candidate_mode> modes_;
};

/// Adjacent elements of a tensor that a tile reads or writes in a row.
index_t run_of(const contraction_problem &tile, tensor_id tensor) {
    index_t run = 1;
    bool longer = true;
    while (longer) { // modes that follow each other without a gap make one run
        longer = false;
        for (const mode_group *group : {&tile.batch, &tile.m, &tile.n, &tile.k})
            for (const problem_mode &mode : *group)
                if (mode.stride[tensor] == run) {
                    run *= mode.extent;
                    longer = true;
                }
    }
    return run;
}

/// How often a tensor's tile changes: as often as the places it depends on, unless others change
/// in between.
double times_moved(const tiling &tiles, tensor_id tensor) {
    double times = real(tiles.sum_count());
    bool changes = tiles.sum_count() > 1;
    for (const cut_mode &cut : tiles.places()) {
        changes = changes || cut.step[tensor] != 0;
        if (changes)
            times *= real(cut.count);
    }
    return times;
}

/// Fills in seconds and how threads are used.
void price(fused_form &form, const contraction_problem &problem, const cost_model &model,
           const plan_environment &environment) {
    const tiling tiles(problem, form.extents, form.innermost_n);
    const contraction_problem tile = tiles.tile(0);
    arranged_problem arranged = arrange(tile, form.choice);
    const double batch = real(extent_of(problem.batch));
    const double m = real(extent_of(problem.m));
    const double n = real(extent_of(problem.n));
    const double k = real(extent_of(problem.k));
    // What is moved is multiplied in cache; the rest comes from where the whole tensor lies.
    arranged.matrices.whole = {
        form.choice.move[A] ? 0 : batch * m * k, form.choice.move[B] ? 0 : batch * k * n,
        form.choice.move[arranged_d] || tiles.sum_count() > 1 ? 0 : batch * m * n};

    const int threads = environment.pricing_threads();
    const double places = real(tiles.place_count());
    form.loop_threads = places >= 2.0 * threads;
    const int team = form.loop_threads ? threads : 1;
    plan_environment inside = environment;
    inside.threads = form.loop_threads ? 1 : environment.threads;
    double seconds =
        places * real(tiles.sum_count()) * best_nest(arranged.matrices, model, inside).seconds;
    for (const std::size_t t : {std::size_t{A}, std::size_t{B}, arranged_d}) {
        if (!form.choice.move[t])
            continue;
        const tensor_id tensor = tensor_of[t];
        const bool back = t == arranged_d;
        const relocation &move = arranged.moves[t];
        const double elements = real(move.elements) * real(extent_of(move.summed));
        seconds += (back ? places : times_moved(tiles, tensor)) *
                   model.move_seconds(elements, size_of(problem.type[tensor]), run_of(tile, tensor),
                                      move.keeps_fast_mode, back, team);
    }
    form.seconds = seconds / team + model.rates().fork_join(threads);
}

} // namespace

std::optional<fused_form> best_fused_form(const contraction_problem &problem,
                                          const cost_model &model,
                                          const plan_environment &environment) {
    const index_t element = size_of(problem.type[D]);
    const index_t line = std::max<index_t>(1, 64 / element);
    // The buffers share L2 with what is read and written beside them.
    const index_t most_elements = static_cast<index_t>(model.cache() * 0.55) / element;
    const std::vector<arrangement> arrangements = enumerate_arrangements(problem);
    std::optional<fused_form> best;
    std::array<bool, 3> shaped_for{};
    std::optional<tile_extents> tile;
    for (const arrangement &choice : arrangements) {
        if (choice.move != shaped_for) {
            shaped_for = choice.move;
            tile = tile_shaper(problem, choice.move, line).shape(most_elements);
        }
        if (!tile)
            continue;
        for (const bool innermost_n : {true, false}) {
            fused_form form{*tile, choice, innermost_n};
            price(form, problem, model, environment);
            if (!best || form.seconds < best->seconds)
                best = std::move(form);
        }
    }
    return best;
}

} // namespace tenfold::contract_impl
