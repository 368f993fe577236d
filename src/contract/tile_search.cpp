// Which tiles and which moves inside them make fused packing cheapest.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/checked.hpp"
#include "contract/fused.hpp"
#include "contract/gemm_nest.hpp"
#include "contract/shortlist.hpp"

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
    std::array<bool, 3> in; ///< A, B, D; with stride 0, too: moved, it takes room

    bool summed() const noexcept { return !in[arranged_d]; }
};

/// A tile in the making: cut until what is moved fits.
class tile_shaper {
public:
    tile_shaper(const contraction_problem &problem, const std::array<bool, 3> &move, index_t line)
        : move_(move), line_(line), extents_(tile_extents::whole(problem)) {
        add(problem.batch, extents_.batch, {true, true, true});
        add(problem.m, extents_.m, {true, false, true});
        add(problem.n, extents_.n, {false, true, true});
        add(problem.k, extents_.k, {true, true, false});
        if (!multiplies_natively(problem.type[A])) // else they are summed away on the way
            isolated_ = {real(extent_of(problem.isolated_a)), real(extent_of(problem.isolated_b)),
                         1};
    }

    /// Empty if no tile is small enough.
    std::optional<tile_extents> shape(double most_elements) {
        while (moved_elements() > most_elements) {
            candidate_mode *const one = next_to_cut();
            if (one == nullptr)
                return std::nullopt;
            const index_t least = least_extent(*one);
            // As much as is needed, in tiles of nearly equal extent.
            const double excess = std::ceil(moved_elements() / most_elements);
            const double most = real(base::divide_up(*one->tile, least));
            const auto count = static_cast<index_t>(std::min(excess, most));
            *one->tile = std::max(least, base::divide_up(*one->tile, count));
            if (*one->tile > least && least > 1)
                *one->tile = std::max(least, *one->tile / least * least);
        }
        return extents_;
    }

private:
    void add(const mode_group &group, extents_t &tiles, const std::array<bool, 3> &in) {
        for (std::size_t i = 0; i < group.size(); ++i)
            modes_.push_back({&group[i], &tiles[i], in});
    }

    double moved_elements() const {
        double total = 0;
        for (std::size_t t = 0; t < tensor_of.size(); ++t) {
            if (!move_[t])
                continue;
            double elements = isolated_[t];
            for (const candidate_mode &one : modes_)
                if (one.in[t])
                    elements *= real(*one.tile);
            total += elements;
        }
        return total;
    }

    bool is_moved(const candidate_mode &one) const {
        for (std::size_t t = 0; t < tensor_of.size(); ++t)
            if (move_[t] && one.in[t])
                return true;
        return false;
    }

    /// Modes along which some tensor's elements are adjacent keep whole cache lines, two of them
    /// where D's are written.
    index_t least_extent(const candidate_mode &one) const {
        for (const tensor_id t : tensor_of)
            if (std::abs(one.mode->stride[t]) == 1)
                return std::min(one.mode->extent, 2 * line_);
        return one.summed() ? std::min<index_t>(one.mode->extent, 32) : 1;
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
                if (move_[t] && one.in[t])
                    rank = std::max(rank, real(std::abs(one.mode->stride[tensor_of[t]])));
            if (least > 1)
                rank *= 1e-20;
            if (one.summed())
                rank *= 1e-40;
            if (best == nullptr || rank > best_rank) {
                best = &one;
                best_rank = rank;
            }
        }
        return best;
    }

    std::array<bool, 3> move_;
    index_t line_; ///< elements
    tile_extents extents_;
    std::vector<candidate_mode> modes_;
    std::array<double, 3> isolated_{1, 1, 1}; ///< what a moved tensor holds for each of its modes
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
    for (const problem_mode &loop : tiles.places().modes) {
        changes = changes || loop.stride[tensor] != 0;
        if (changes)
            times *= real(loop.extent);
    }
    return times;
}

/// What all arrangements of the same moved tensors have in common: tiles, and how often they move.
class tile_pricer {
public:
    tile_pricer(const contraction_problem &problem, const tile_extents &extents, bool innermost_n,
                const std::array<bool, 3> &move, const cost_model &model,
                const plan_environment &environment)
        : model_(model), inside_(environment), tiles_(problem, extents, innermost_n),
          tile_(tiles_.tile(0)) {
        whole_ = sizes_behind(problem, tiles_, move);
        const int threads = environment.pricing_threads();
        const double places = real(tiles_.place_count());
        loop_threads_ = places >= 2.0 * threads;
        team_ = loop_threads_ ? threads : 1;
        if (loop_threads_)
            inside_.threads = 1;
        for (std::size_t t = 0; t < tensor_of.size(); ++t) {
            run_[t] = run_of(tile_, tensor_of[t]);
            times_[t] = t == arranged_d ? places : times_moved(tiles_, tensor_of[t]);
        }
    }

    /// Empty if it takes `most` seconds or longer.
    std::optional<double> seconds(const arrangement &choice, double most) const {
        arranged_problem arranged = arrange(tile_, choice);
        arranged.matrices.whole = whole_;
        double sum = model_.rates().fork_join(team_) * team_;
        for (std::size_t t = 0; t < tensor_of.size(); ++t) {
            if (!choice.move[t])
                continue;
            const relocation &move = arranged.moves[t];
            const double elements = real(move.elements) * real(extent_of(move.summed));
            sum += times_[t] * model_.move_seconds(elements, size_of(tile_.type[tensor_of[t]]),
                                                   run_[t], move.keeps_fast_mode, t == arranged_d,
                                                   team_);
        }
        if (sum / team_ >= most)
            return std::nullopt; // however fast the products are
        sum += real(tiles_.place_count()) * real(tiles_.sum_count()) *
               best_nest(arranged.matrices, model_, inside_).seconds;
        return sum / team_ < most ? std::optional(sum / team_) : std::nullopt;
    }

    bool loop_threads() const noexcept { return loop_threads_; }

private:
    const cost_model &model_;
    plan_environment inside_;
    tiling tiles_;
    contraction_problem tile_;
    tensor_sizes whole_;
    bool loop_threads_;
    int team_;
    std::array<index_t, 3> run_{};
    std::array<double, 3> times_{}; ///< that each is moved
};

} // namespace

tensor_sizes sizes_behind(const contraction_problem &whole, const tiling &tiles,
                          const std::array<bool, 3> &move) {
    const double batch = real(extent_of(whole.batch));
    const double m = real(extent_of(whole.m));
    const double n = real(extent_of(whole.n));
    const double k = real(extent_of(whole.k));
    return {move[A] ? 0 : batch * m * k, move[B] ? 0 : batch * k * n,
            move[arranged_d] || tiles.sum_count() > 1 ? 0 : batch * m * n};
}

std::vector<fused_form> best_fused_forms(const contraction_problem &problem,
                                         const cost_model &model,
                                         const plan_environment &environment, std::size_t most) {
    const index_t element = size_of(problem.type[D]);
    const index_t line = std::max<index_t>(1, 64 / element);
    // The buffers share L2 with what is read and written beside them.
    const double most_elements = 0.55 * model.cache() / real(element);
    const tile_extents whole = tile_extents::whole(problem);
    shortlist<fused_form> best(most), uncut(1);
    // Arrangements come sorted by what they move.
    std::array<bool, 3> shaped_for{};
    std::optional<tile_extents> tile;
    std::vector<tile_pricer> orders; // of tiles: along n first, along m first
    for (const arrangement &choice : enumerate_arrangements(problem)) {
        if (choice.move != shaped_for) {
            shaped_for = choice.move;
            tile = tile_shaper(problem, choice.move, line).shape(most_elements);
            orders.clear();
            if (tile) {
                orders.emplace_back(problem, *tile, true, choice.move, model, environment);
                if (tile->m != whole.m && tile->n != whole.n)
                    orders.emplace_back(problem, *tile, false, choice.move, model, environment);
            }
        }
        const bool is_whole = tile && *tile == whole; // TTGT, whose prices need not be found again
        if (is_whole && !uncut.items().empty())
            continue;
        shortlist<fused_form> &kept = is_whole ? uncut : best;
        for (std::size_t i = 0; i < orders.size(); ++i) {
            if (const auto seconds = orders[i].seconds(choice, kept.most_seconds()))
                kept.add({*tile, choice, i == 0, orders[i].loop_threads(), *seconds});
        }
    }
    return best.items().empty() ? uncut.items() : best.items();
}

} // namespace tenfold::contract_impl
