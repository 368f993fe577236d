#include "contract/tiles/tile_search.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <tenfold/error.hpp>

#include "contract/choose/matrix_problem.hpp"
#include "contract/tiles/tile_price.hpp"
#include "contract/tiles/tile_shape.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::contraction_problem;

/// Arrangements that move the same tensors, and so can use the same tiles.
using arrangements = std::span<const arrangement>;

/// The parts of a limit that are tried for moved tensors, one after the other. The rest is for gaps
/// between groups of modes and for the panels of products.
constexpr std::array parts_of_limit{1.0, 0.85, 0.7, 0.55, 0.4, 0.28, 0.2, 0.14, 0.1, 0.05};

/// Keeps the `most` items with the least `seconds`, cheapest first. Of equal ones, it prefers those
/// that came first.
template <class Item> class shortlist {
public:
    shortlist(std::size_t most, double most_seconds) : most_(most), most_seconds_(most_seconds) {}

    /// Items that take this long or longer are not kept.
    double most_seconds() const noexcept {
        return items_.size() < most_ ? most_seconds_ : items_.back().seconds;
    }

    void add(Item item) {
        if (item.seconds >= most_seconds())
            return;
        if (items_.size() == most_)
            items_.pop_back();
        const auto place = std::upper_bound(
            items_.begin(), items_.end(), item.seconds,
            [](double seconds, const Item &other) { return seconds < other.seconds; });
        items_.insert(place, std::move(item));
    }

    const std::vector<Item> &items() const noexcept { return items_; }

private:
    std::size_t most_; ///< at least 1
    double most_seconds_;
    std::vector<Item> items_;
};

byte_count workspace_of(const contraction_problem &problem, const tiled_form &form,
                        const cost_model &model, const plan_environment &environment) {
    try {
        return make_tiled(problem, form, model, environment)->workspace();
    } catch (const error &too_large) {
        if (too_large.code() != errc::overflow)
            throw;
        return {INT64_MAX};
    }
}

class form_search {
public:
    /// `ceiling`: of searches of which only one form is wanted; null: there is none.
    form_search(const contraction_problem &problem, algorithm which, const cost_model &model,
                const plan_environment &environment, const wanted_forms &wanted,
                double *ceiling = nullptr)
        : problem_(problem), which_(which), model_(model), environment_(environment),
          best_(wanted.of_each, wanted.most_seconds), ceiling_(ceiling) {}

    /// `surcharge` multiplies the price for costs that the model lacks.
    void try_tiles(const tile_extents &tiles, arrangements choices, double surcharge = 1) {
        tile_pricer pricer(problem_, which_, tiles, choices.front().move, model_, environment_);
        for (const arrangement &choice : choices)
            if (auto form = pricer.price(choice, most_seconds() / surcharge, scratch_)) {
                form->seconds *= surcharge;
                offer(*form);
            }
    }

    /// Tries tiles of at most `most_elements` moved elements, and smaller ones.
    void try_smaller_tiles(double most_elements, arrangements choices) {
        const tile_shaper shaper(problem_, choices.front().move);
        std::vector<tile_extents> tried;
        const auto try_once = [&](const tile_extents &tiles) {
            if (std::find(tried.begin(), tried.end(), tiles) != tried.end())
                return;
            tried.push_back(tiles);
            try_tiles(tiles, choices);
        };
        for (const double part : parts_of_limit)
            for (const cut_first first :
                 {cut_first::far_apart, cut_first::m, cut_first::n, cut_first::summed})
                if (const auto tiles = shaper.shape(part * most_elements, first))
                    try_once(*tiles);
        try_once(shaper.smallest());
    }

    /// If nothing fits, finds the form with the least workspace: that of the smallest tiles, or of
    /// larger ones with a simpler product.
    void try_least(const tile_extents &largest, arrangements choices) {
        plan_environment no_limit = environment_;
        no_limit.workspace_limit = {INT64_MAX};
        const tile_shaper shaper(problem_, choices.front().move);
        for (const tile_extents &tiles : {shaper.smallest(), largest}) {
            tile_pricer pricer(problem_, which_, tiles, choices.front().move, model_, no_limit);
            for (const arrangement &choice : choices) {
                const auto form =
                    pricer.price(choice, std::numeric_limits<double>::infinity(), scratch_);
                if (!form || pricer.moved_bytes(scratch_) >= real(least_.value))
                    continue;
                const byte_count needed = workspace_of(*form);
                if (needed < least_) {
                    least_ = needed;
                    smallest_ = {*form};
                }
            }
        }
    }

    /// Forms within the limit, cheapest first, or else the one with the least workspace.
    const std::vector<tiled_form> &best() const noexcept {
        return best_fits() ? best_.items() : smallest_;
    }
    bool best_fits() const noexcept { return !best_.items().empty(); }

private:
    double most_seconds() const noexcept {
        return ceiling_ != nullptr ? std::min(*ceiling_, best_.most_seconds())
                                   : best_.most_seconds();
    }

    void offer(const tiled_form &form) {
        if (!environment_.limited() || workspace_of(form) <= environment_.workspace_limit)
            best_.add(form);
        if (ceiling_ != nullptr)
            *ceiling_ = std::min(*ceiling_, form.seconds);
    }

    byte_count workspace_of(const tiled_form &form) const {
        return contract_impl::workspace_of(problem_, form, model_, environment_);
    }

    const contraction_problem &problem_;
    algorithm which_;
    const cost_model &model_;
    const plan_environment &environment_;
    arranged_problem scratch_;
    shortlist<tiled_form> best_;
    double *ceiling_;
    std::vector<tiled_form> smallest_; ///< one form, if nothing fits
    byte_count least_{INT64_MAX};      ///< its workspace
};

template <class Body> void for_each_move(const std::vector<arrangement> &all, const Body &body) {
    for (auto first = all.begin(); first != all.end();) {
        const auto last = std::find_if(
            first, all.end(), [&](const arrangement &one) { return one.move != first->move; });
        body(arrangements(first, last));
        first = last;
    }
}

/// Tiles of at most so many moved elements.
std::optional<tile_extents> tiles_within(double most_elements, const contraction_problem &problem,
                                         arrangements choices, cut_first first) {
    const std::array<bool, 3> &move = choices.front().move;
    double all = 0;
    for (const einsum_impl::tensor_id t : einsum_impl::all_but_c)
        all += move[t] ? moved_elements(problem, t) : 0;
    return all <= most_elements ? tile_extents::whole(problem)
                                : tile_shaper(problem, move).shape(most_elements, first);
}

std::optional<tile_extents> tiles_in_cache(const contraction_problem &problem, arrangements choices,
                                           const cost_model &model,
                                           cut_first first = cut_first::far_apart) {
    return tiles_within(cache_share_of_tiles * model.cache() / real(size_of(problem.computed)),
                        problem, choices, first);
}

/// Slices whose moved tensors stay in the last cache until they are multiplied.
std::optional<tile_extents> slices_in_cache(const contraction_problem &problem,
                                            arrangements choices, const cost_model &model,
                                            cut_first first) {
    constexpr double share = 0.25;
    return tiles_within(share * model.last_cache() / real(size_of(problem.computed)), problem,
                        choices, first);
}

/// A lower bound for the seconds of all forms that move these tensors: each is read and written
/// once, at the speed of a cache, and the product has no overhead.
double least_seconds(const contraction_problem &problem, const std::array<bool, 3> &move,
                     const cost_model &model, const plan_environment &environment) {
    const int threads = environment.threads;
    double sum = 0;
    for (const einsum_impl::tensor_id t : einsum_impl::all_but_c)
        if (move[t])
            sum += model.transposing().least(real(problem.touched[t].size()),
                                             size_of(problem.type[t]), threads); // nothing converts
    double multiply_adds = 1;
    for (const auto *group : {&problem.batch, &problem.m, &problem.n, &problem.k})
        multiply_adds *= real(einsum_impl::extent_of(*group));
    if (problem.m.empty() || problem.n.empty() || problem.k.empty()) // bound by memory
        return sum;
    return sum + model.least_product_seconds(problem.type[einsum_impl::A], multiply_adds, threads);
}

/// Slices that cut sums took 1.25 times as long as uncut ones with the same price (tccg17 in f32).
/// Tiles do not: with this surcharge 53 of them took 0.93 times their price, 175 others 1.04 times
/// (Zen 3, f64, geometric means).
constexpr double surcharge_of_cut_sums = 1.15;

/// TTGT of element-wise products, which are all traffic, took 1.3 to 2.3 times as long as tiles
/// with about the same price (docs/adr/0010): whole copies leave the caches, and L3 may be shared.
constexpr double surcharge_of_elementwise_ttgt = 1.2;

/// Tiles of element-wise products took 1.2 times their price in the geometric mean where the
/// tensors leave the caches (0.8 to 2.4 times, 24 products, Zen 4), and 1.0 times where they stay.
double surcharge_of_tiles(const contraction_problem &problem, const cost_model &model,
                          int threads) {
    constexpr double from_memory = 1.2;
    return is_elementwise(problem) && bytes_of_tensors(problem) > model.kept_in_caches(threads)
               ? from_memory
               : 1;
}

/// The search without a workspace limit.
tiled_forms search_freely(const contraction_problem &problem, const std::vector<arrangement> &all,
                          const cost_model &model, const plan_environment &environment,
                          const wanted_forms &wanted) {
    const tile_extents whole = tile_extents::whole(problem);
    const double surcharge_of_ttgt = is_elementwise(problem) ? surcharge_of_elementwise_ttgt : 1;
    const double of_tiles = surcharge_of_tiles(problem, model, environment.threads);
    double least = wanted.most_seconds;
    double *const ceiling = wanted.only_cheapest ? &least : nullptr;
    form_search ttgt(problem, algorithm::ttgt, model, environment, wanted, ceiling);
    form_search fused(problem, algorithm::fused, model, environment, wanted, ceiling);
    // A single tile is TTGT, which is priced already; one form is enough.
    form_search fused_in_one_tile(problem, algorithm::fused, model, environment,
                                  {1, wanted.most_seconds}, ceiling);
    bool tried_one_tile = false;
    for_each_move(all, [&](arrangements choices) {
        if (least_seconds(problem, choices.front().move, model, environment) >= least)
            return;
        ttgt.try_tiles(whole, choices, surcharge_of_ttgt);
        std::optional<tile_extents> last_slices = whole, last_tiles = whole;
        // Cutting sums first suits a small D with long sums: D stays in cache, and inputs are read
        // once.
        for (const cut_first first : {cut_first::far_apart, cut_first::summed}) {
            const double surcharge = first == cut_first::summed ? surcharge_of_cut_sums : 1;
            const auto slices = slices_in_cache(problem, choices, model, first);
            if (slices && slices != last_slices && *slices != whole)
                ttgt.try_tiles(*slices, choices, surcharge * surcharge_of_ttgt);
            last_slices = slices;
            const auto tiles = tiles_in_cache(problem, choices, model, first);
            if (tiles && tiles != last_tiles && *tiles != whole)
                fused.try_tiles(*tiles, choices, of_tiles);
            else if (tiles && *tiles == whole && !std::exchange(tried_one_tile, true))
                fused_in_one_tile.try_tiles(whole, choices.first(1));
            last_tiles = tiles;
        }
    });
    return {ttgt.best(), fused.best_fits() ? fused.best() : fused_in_one_tile.best()};
}

tiled_forms search_within_limit(const contraction_problem &problem,
                                const std::vector<arrangement> &all, const cost_model &model,
                                const plan_environment &environment, std::size_t of_each) {
    const wanted_forms wanted{of_each, std::numeric_limits<double>::infinity()};
    const tile_extents whole = tile_extents::whole(problem);
    const auto limit = real(environment.workspace_limit.value);
    const double each = std::min(cache_share_of_tiles * model.cache(), limit / environment.threads);
    const double element = real(size_of(problem.computed));
    form_search ttgt(problem, algorithm::ttgt, model, environment, wanted);
    form_search fused(problem, algorithm::fused, model, environment, wanted);
    for_each_move(all, [&](arrangements choices) {
        ttgt.try_tiles(whole, choices);
        ttgt.try_smaller_tiles(limit / element, choices);
        if (const auto tiles = tiles_in_cache(problem, choices, model))
            fused.try_tiles(*tiles, choices);
        fused.try_smaller_tiles(each / element, choices);
    });
    for_each_move(all, [&](arrangements choices) {
        if (!ttgt.best_fits())
            ttgt.try_least(whole, choices);
        if (!fused.best_fits())
            fused.try_least(tiles_in_cache(problem, choices, model).value_or(whole), choices);
    });
    return {ttgt.best(), fused.best()};
}

/// Keeps the `most` cheapest of both, cheapest first. Under a limit either all of a search's forms
/// fit, or it found none that does and has the one with the least workspace; then the forms that
/// need less stay.
template <class Workspace>
void merge(std::vector<tiled_form> &into, const std::vector<tiled_form> &more, std::size_t most,
           const plan_environment &environment, const Workspace &workspace_of) {
    if (environment.limited() && !into.empty() && !more.empty()) {
        const byte_count one = workspace_of(into.front()), other = workspace_of(more.front());
        if (std::max(one, other) > environment.workspace_limit) {
            if (other < one)
                into = more;
            return;
        }
    }
    into.insert(into.end(), more.begin(), more.end());
    std::stable_sort(into.begin(), into.end(), [](const tiled_form &x, const tiled_form &y) {
        return x.seconds < y.seconds;
    });
    into.resize(std::min(into.size(), most));
}

} // namespace

tiled_forms best_tiled_forms(const contraction_problem &problem, const cost_model &model,
                             const plan_environment &environment, const wanted_forms &wanted) {
    const std::vector<arrangement> all = arranger(problem).choices();
    tiled_forms best = environment.limited()
                           ? search_within_limit(problem, all, model, environment, wanted.of_each)
                           : search_freely(problem, all, model, environment, wanted);
    if (!problem.batch.empty() && !is_elementwise(problem))
        if (const auto elementwise = as_elementwise(problem)) {
            const std::vector<arrangement> more = arranger(*elementwise).choices();
            const tiled_forms found =
                environment.limited()
                    ? search_within_limit(*elementwise, more, model, environment, wanted.of_each)
                    : search_freely(*elementwise, more, model, environment, wanted);
            const auto needs = [&](const tiled_form &form) {
                return workspace_of(problem, form, model, environment);
            };
            merge(best.ttgt, found.ttgt, wanted.of_each, environment, needs);
            merge(best.fused, found.fused, wanted.of_each, environment, needs);
        }
    if (problem.unary) // one input is converted and moved, but not multiplied in tiles
        best.fused.clear();
    if (wanted.only_cheapest && !environment.limited() && !best.ttgt.empty() && !best.fused.empty())
        (best.fused.front().seconds < best.ttgt.front().seconds ? best.ttgt : best.fused).clear();
    return best;
}

} // namespace tenfold::contract_impl
