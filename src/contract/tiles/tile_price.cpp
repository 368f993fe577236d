#include "contract/tiles/tile_price.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/workspace.hpp"
#include "contract/products/gemm_nest.hpp"
#include "contract/products/vector_loops.hpp"
#include "contract/tiles/moves.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::all_but_c;
using einsum_impl::B;
using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::extent_of;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;
using einsum_impl::tensor_id;

/// Keeps a lower bound below the price although the two round differently.
constexpr double below_rounding = 1 - 1e-9;

/// The contiguous runs that a tile reads or writes, along labels summed during the move as well.
cost_model::runs runs_of(const contraction_problem &tile, tensor_id tensor) {
    constexpr index_t none = std::numeric_limits<index_t>::max();
    index_t run = 1;
    index_t next = none;
    bool longer = true;
    while (longer) { // contiguous modes form one run
        longer = false;
        next = none;
        for (const mode_group *group :
             {&tile.batch, &tile.m, &tile.n, &tile.k, &tile.isolated_a, &tile.isolated_b})
            for (const problem_mode &mode : *group) {
                if (mode.stride[tensor] == run) {
                    run *= mode.extent;
                    longer = true;
                } else if (const index_t stride = std::abs(mode.stride[tensor]); stride > run) {
                    next = std::min(next, stride);
                }
            }
    }
    return {run, next == none ? run : next};
}

/// How often a tensor's tile must be moved: whenever the walk over the places changes it, so also
/// when it returns to an earlier one.
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

} // namespace

tile_pricer::tile_pricer(const contraction_problem &problem, algorithm which,
                         const tile_extents &extents, const std::array<bool, 3> &move,
                         const cost_model &model, const plan_environment &environment)
    : model_(model), which_(which), extents_(extents), move_(move), inside_(environment),
      tiles_(problem, extents, true), tile_(tiles_.tile(problem, 0)),
      whole_(sizes_behind(problem, tiles_, move)),
      products_(real(tiles_.place_count()) * real(tiles_.sum_count())) {
    const int threads = environment.threads;
    if (which == algorithm::fused) {
        loop_threads_ = real(tiles_.place_count()) >= 2.0 * threads;
        team_ = loop_threads_ ? threads : 1;
        if (loop_threads_)
            inside_.threads = 1;
        if (environment.limited())
            inside_.workspace_limit.value /= team_;
    }
    for (const tensor_id t : all_but_c) {
        runs_[t] = runs_of(tile_, t);
        cut_from_[t] = tiles_.is_whole() ? 0 : moved_elements(problem, t);
    }
    orders_.push_back(order(tiles_, true));
    const tile_extents whole = tile_extents::whole(problem);
    if (extents.m != whole.m && extents.n != whole.n)
        orders_.push_back(order(tiling(problem, extents, false), false));
    if (which == algorithm::ttgt && !tiles_.is_whole())
        share_cache();
    in_use_ = bytes_in_use();
    shared_lines_ = seconds_of_shared_lines(problem);
    least_products_ = least_of_products();
    least_seconds_ = (least_of_moves() + least_products_ + shared_lines_) / team_ * below_rounding;
}

tile_pricer::tile_order tile_pricer::order(const tiling &tiles, bool innermost_n) const {
    return {innermost_n, {times_moved(tiles, A), times_moved(tiles, B), real(tiles.place_count())}};
}

/// A slice stays in cache if all of its moved tensors do, with a share for data that is read and
/// written in place.
void tile_pricer::share_cache() {
    double moved = 0;
    for (const tensor_id t : all_but_c)
        if (move_[t])
            moved += moved_elements(tile_, t);
    const std::array whole{&whole_.a, &whole_.b, &whole_.d};
    for (const tensor_id t : all_but_c)
        if (move_[t])
            *whole[t] = moved / cache_share_of_tiles;
}

double tile_pricer::touched_bytes() const {
    double bytes = 0;
    for (const tensor_id t : all_but_c)
        bytes += (move_[t] ? 2 : 1) * moved_elements(tile_, t) * real(size_of(tile_.type[t]));
    return bytes;
}

double tile_pricer::bytes_in_use() const {
    // Of complex numbers tiles would be chosen instead, which took up to 3 times their price in L3.
    if (which_ != algorithm::ttgt || !tiles_.is_whole() || !is_elementwise(tile_) ||
        is_complex(tile_.type[D]))
        return 0;
    return touched_bytes();
}

double tile_pricer::seconds_of_shared_lines(const contraction_problem &problem) const {
    if (move_[D] || tiles_.is_whole() || tiles_.sum_count() > 1)
        return 0;
    const double size = real(size_of(tile_.type[D]));
    const double run = real(runs_[D].length) * size;
    const double line = model_.line();
    if (run < line || std::fmod(run, line) == 0 || runs_of(problem, D).length == runs_[D].length)
        return 0;
    const int threads = team_ * inside_.threads;
    if (touched_bytes() <= model_.kept_in_caches(threads))
        return 0;
    const double count = moved_elements(problem, D) / real(runs_[D].length);
    const double again = count * (line - size); // bytes, where runs begin anywhere in lines
    return 2 * again / model_.rates().memory(threads) * team_;
}

double tile_pricer::move_seconds(std::size_t tensor, double elements, data_type into,
                                 const neighbours &near) const {
    const index_t size = size_of(tile_.type[tensor]);
    const bool back = tensor == D;
    if (which_ == algorithm::fused)
        return model_.move_seconds(elements, size, runs_[tensor], near, back, team_);
    const int threads = inside_.threads;
    const element_sizes sizes =
        back ? element_sizes{size_of(into), size} : element_sizes{size, size_of(into)};
    const double as_a_whole = model_.transposing().seconds(elements, sizes, near, threads, in_use_);
    if (tiles_.is_whole())
        return as_a_whole;
    // A slice may stay in cache, but the tensor to which it belongs does not.
    return std::max(as_a_whole, model_.move_seconds(elements / threads, size, runs_[tensor], near,
                                                    back, threads));
}

double tile_pricer::least_of_moves() const {
    double sum = 0;
    for (const tensor_id t : all_but_c)
        if (move_[t]) {
            const double elements = moved_elements(tile_, t);
            const data_type kept = tile_.type[t]; // converting writes no less
            const bool sums = !(t == A ? tile_.isolated_a : tile_.isolated_b).empty() && t != D;
            const double once =
                sums ? model_.transposing().least(elements / 2, size_of(kept), inside_.threads)
                     : std::min(move_seconds(t, elements, kept, {true}),
                                move_seconds(t, elements, kept, {false}));
            sum += once * std::min(orders_.front().times[t], orders_.back().times[t]);
        }
    return sum;
}

double tile_pricer::least_of_products() const {
    // If a group is empty, products are those of vectors and bound by memory traffic.
    if (tile_.m.empty() || tile_.n.empty() || tile_.k.empty())
        return 0;
    const double multiply_adds = real(extent_of(tile_.batch)) * real(extent_of(tile_.m)) *
                                 real(extent_of(tile_.n)) * real(extent_of(tile_.k));
    return products_ * model_.least_product_seconds(tile_.type[A], multiply_adds, inside_.threads);
}

double tile_pricer::moved_bytes(const arranged_problem &arranged) const {
    constexpr double alignment = base::workspace_alignment;
    double sum = 0; // whole tensors' bytes may not fit 64 bits
    for (const tensor_id t : all_but_c)
        if (move_[t]) {
            const data_type type = t == D ? arranged.matrices.type : arranged.matrices.inputs;
            const double size = real(arranged.moves[t].elements) * real(size_of(type));
            sum += std::ceil(size / alignment) * alignment;
        }
    return sum * team_;
}

std::optional<tiled_form> tile_pricer::price(const arrangement &choice, double most,
                                             arranged_problem &scratch) {
    if (least_seconds_ >= most)
        return std::nullopt;
    if (!arranger_)
        arranger_.emplace(tile_);
    arranger_->arrange(choice, scratch);
    scratch.matrices.whole = whole_;
    std::array<double, 3> once{};
    for (const tensor_id t : all_but_c)
        if (move_[t]) {
            const relocation &move = scratch.moves[t];
            const data_type into = t == D ? scratch.matrices.type : scratch.matrices.inputs;
            once[t] = move.summed.empty()
                          ? move_seconds(t, real(move.elements), into, move.near)
                          : seconds_of_sum(move, t, tile_.type[t], cut_from_[t], model_, inside_);
        }
    double sum = std::numeric_limits<double>::infinity();
    bool innermost_n = true;
    for (const tile_order &order : orders_) {
        double moves = model_.rates().fork_join(team_) * team_;
        for (const tensor_id t : all_but_c)
            moves += order.times[t] * once[t];
        if (moves < sum) {
            sum = moves;
            innermost_n = order.innermost_n;
        }
    }
    if ((sum + least_products_) / team_ * below_rounding >= most)
        return std::nullopt;
    plan_environment product = inside_;
    if (product.limited()) { // each thread's share
        const double room = real(product.workspace_limit.value) - moved_bytes(scratch) / team_;
        if (room < 0)
            return std::nullopt;
        product.workspace_limit = bytes(static_cast<index_t>(room));
    }
    const nest_price nest =
        scratch.in_vector_loops
            ? nest_price{price_vector_loops(scratch.matrices, model_, product), {}}
            : price_nest(scratch.matrices, model_, product);
    if (nest.workspace > product.workspace_limit)
        return std::nullopt;
    sum += products_ * nest.seconds + shared_lines_;
    if (sum / team_ >= most)
        return std::nullopt;
    return tiled_form{which_, extents_, choice, innermost_n, loop_threads_, sum / team_};
}

} // namespace tenfold::contract_impl
