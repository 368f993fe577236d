#include "distributed/plan/grid_search.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <tenfold/error.hpp>

#include "distributed/plan/costs.hpp"
#include "distributed/plan/fit_layouts.hpp"
#include "distributed/plan/grid_bounds.hpp"
#include "distributed/plan/split_table.hpp"
#include "distributed/plan/steps.hpp"

namespace tenfold::dist_impl {
namespace {

__extension__ using wide = __int128; // words may exceed 64 bits although every tensor fits

/// Number of grids for which layouts are sought, which takes most of a plan's time. Mostly two or
/// three are enough, and in 648 plans 16 always were (docs/adr/0027).
constexpr std::size_t most_fitted = 16;
/// Memory decides among plans whose seconds differ by less than this share of those that ranks
/// receive for.
constexpr double tie = 0.02;
/// Number of grids that are looked at under a limit of memory: the cheapest of all, and the
/// cheapest without a sum over pk, which needs memory for incomplete products.
constexpr std::size_t most_tried = 400;
constexpr std::size_t most_tried_without_sum = 100;

/// The layouts of a grid, and the seconds of its busiest rank with them.
struct fitted_grid {
    priced_grid price;
    layouts where;
};

/// A grid that may stay within a limit of memory.
struct frugal_grid {
    priced_grid price;
    index_t least; ///< no lower limit suffices
};

class search {
public:
    search(const plan_state &plan, const group_cuts &cuts, shared_tables &tables)
        : plan_(plan), cuts_(cuts), splits_(tables.splits), counted_(plan, tables.operands) {}

    layouts run() const {
        if (plan_.options.grid)
            return forced(*plan_.options.grid);
        const std::vector<priced_grid> sorted = grid_bounds(plan_, cuts_).all();
        layouts best = default_steps(plan_, cheapest(sorted));
        if (!plan_.options.memory_per_rank)
            return best;
        const byte_count limit = *plan_.options.memory_per_rank;
        if (peak_bytes(plan_, best) <= limit.value - reserved_workspace(plan_, limit.value))
            return best;
        return best_within(sorted, limit);
    }

private:
    /// Of all ways to take panels from copies, takes the one with the fewest seconds.
    fitted_grid fit(const priced_grid &one) const {
        const std::vector<copied_inputs> ways = ways_to_copy(plan_, one.grid);
        fitted_grid best = fit(one, ways.front());
        for (std::size_t i = 1; i < ways.size(); ++i) {
            fitted_grid other = fit(one, ways[i]);
            if (other.price.seconds() < best.price.seconds())
                best = std::move(other);
        }
        return best;
    }

    fitted_grid fit(const priced_grid &one, const copied_inputs &copied) const {
        fitted_grid fitted{one, fit_layouts(plan_, one.grid, copied, counted_, splits_)};
        if (ways_to_copy(plan_, one.grid).size() > 1) // `one` has a bound
            fitted.price.receiving = panel_seconds(plan_, fitted.where);
        const layout_choice &choice = fitted.where.choice();
        fitted.price.receiving += between_nodes_seconds(plan_, choice);
        fitted.price.redistribution =
            redistribution_seconds(plan_, counted_, choice, counted_.of(choice).most);
        return fitted;
    }

    layouts cheapest(const std::vector<priced_grid> &sorted) const {
        std::vector<fitted_grid> fitted;
        double most = 0; // seconds of plans that are as good as the best one
        for (const priced_grid &one : sorted) {
            if (!fitted.empty() && (fitted.size() == most_fitted || one.seconds() > most))
                break;
            fitted.push_back(fit(one));
            const priced_grid &price = fitted.back().price;
            const double with_tie = price.seconds() + tie * price.moving();
            most = fitted.size() == 1 ? with_tie : std::min(most, with_tie);
        }
        std::erase_if(fitted, [&](const fitted_grid &one) { return one.price.seconds() > most; });
        const auto peak = [&](const fitted_grid &one) {
            return fitted.size() == 1 ? 0
                                      : sample_peak_bytes(plan_, default_steps(plan_, one.where));
        };
        std::size_t best = 0;
        index_t least = peak(fitted[0]);
        for (std::size_t i = 1; i < fitted.size(); ++i) {
            const index_t bytes = peak(fitted[i]);
            if (bytes < least || (bytes == least && fitted[i].price < fitted[best].price)) {
                best = i;
                least = bytes;
            }
        }
        return std::move(fitted[best].where);
    }

    layouts forced(const processor_grid &grid) const {
        const auto check = [&](const char *name, label_class group, int parts) {
            const extents_t extents = plan_.problem->extents_of(plan_.problem->group(group));
            if (parts < 1 || parts > plan_.ranks || !split_table(extents, parts).possible())
                throw error(errc::invalid_argument,
                            std::string("grid: ") + name + " cannot be cut into " +
                                std::to_string(parts) + " parts" +
                                (parts > 1 ? "; it has no label, or there are fewer ranks" : ""));
        };
        check("batch", label_class::batch, grid.batch);
        check("m", label_class::m, grid.m);
        check("n", label_class::n, grid.n);
        check("k", label_class::k, grid.k);
        if (plan_.reproducible() && !plan_.leaves.possible(grid.k))
            throw error(errc::invalid_argument,
                        "grid: a reproducible sum over k can be cut into powers of 2 up to " +
                            std::to_string(plan_.leaves.count()) + ", not into " +
                            std::to_string(grid.k) + " parts");
        if (grid.size() > plan_.ranks)
            throw error(errc::invalid_argument, "grid: it needs " + std::to_string(grid.size()) +
                                                    " ranks, but there are " +
                                                    std::to_string(plan_.ranks));
        const priced_grid unpriced{grid, 0, 0, 0};
        if (!plan_.options.memory_per_rank)
            return default_steps(plan_, fit(unpriced).where);
        const byte_count limit = *plan_.options.memory_per_rank;
        std::optional<std::pair<double, layouts>> best;
        take_within(unpriced, limit, best);
        if (!best)
            throw memory_refusal(bytes(least_of_grid(grid)), limit);
        return std::move(best->second);
    }

    /// Returns the grids to look at, the cheapest first. They do not depend on the limit, so that
    /// the least one that an error names is enough.
    std::vector<frugal_grid> shortlist_for_memory(const std::vector<priced_grid> &sorted) const {
        std::vector<frugal_grid> tried;
        std::size_t without_sum = 0;
        for (const priced_grid &one : sorted) {
            const bool sums = one.grid.k > 1;
            if (tried.size() >= most_tried && (sums || without_sum >= most_tried_without_sum))
                continue;
            tried.push_back({one, least_if_kept(one)});
            without_sum += sums ? 0 : 1;
        }
        return tried;
    }

    /// Returns a limit below which nothing fits with any layouts of the grid.
    index_t least_if_kept(const priced_grid &one) const {
        index_t least = INT64_MAX;
        for (const copied_inputs &copied : ways_to_copy(plan_, one.grid)) {
            const layouts where = layouts_before_fitting(plan_, one.grid, copied, splits_);
            may_be_kept kept = one.kept;
            for (const tensor_id operand : {A, B})
                if (copied[operand]) {
                    kept.all[operand] = true;
                    kept.words[operand] = std::numeric_limits<double>::infinity();
                }
            least = std::min(least, least_memory_if_kept(plan_, where, kept));
        }
        return least;
    }

    /// Returns the least limit with which the grid is taken; INT64_MAX if it is not below `known`.
    index_t least_of_grid(const processor_grid &grid, index_t known = INT64_MAX) const {
        for (const copied_inputs &copied : ways_to_copy(plan_, grid))
            known = std::min(
                known,
                least_memory(plan_, fit_layouts(plan_, grid, copied, counted_, splits_), known));
        return known;
    }

    /// Replaces `best`, seconds and layouts, by those of a grid that stay within the limit and take
    /// less.
    void take_within(const priced_grid &one, byte_count limit,
                     std::optional<std::pair<double, layouts>> &best) const {
        for (const copied_inputs &copied : ways_to_copy(plan_, one.grid)) {
            const fitted_grid fitted = fit(one, copied);
            std::optional<layouts> steps = steps_within(plan_, fitted.where, limit.value);
            if (!steps)
                continue;
            const double seconds = fitted.price.seconds() + seconds_of_steps(*steps, fitted.where);
            if (!best || seconds < best->first)
                best.emplace(seconds, std::move(*steps));
        }
    }

    layouts best_within(const std::vector<priced_grid> &sorted, byte_count limit) const {
        std::vector<frugal_grid> grids = shortlist_for_memory(sorted);
        std::optional<std::pair<double, layouts>> best;
        for (const frugal_grid &one : grids) {
            if (best && one.price.seconds() >= best->first)
                break;
            if (one.least > limit.value)
                continue;
            take_within(one.price, limit, best);
        }
        if (!best)
            throw memory_refusal(bytes(least_of(std::move(grids))), limit);
        return std::move(best->second);
    }

    /// Returns the seconds that steps take beside those of the contraction in one step.
    double seconds_of_steps(const layouts &steps, const layouts &whole) const {
        const auto last = static_cast<int>(whole.grid().size()) - 1;
        const of_operands &words = plan_.words.product;
        const wide again = steps.words_received(last, words) - whole.words_received(last, words);
        const wide updates = // every step along k reads and writes D
            2 * wide{steps.panel_of(D, last).size()} * (steps.step_counts()[3] - 1);
        return receiving_seconds(plan_, static_cast<double>(again), 0) +
               plan_.price.updating(static_cast<double>(updates * size_of(plan_.type)));
    }

    /// Returns the least limit with which one of the grids is taken.
    index_t least_of(std::vector<frugal_grid> grids) const {
        std::stable_sort(
            grids.begin(), grids.end(),
            [](const frugal_grid &a, const frugal_grid &b) { return a.least < b.least; });
        index_t least = INT64_MAX;
        for (const frugal_grid &one : grids)
            if (one.least < least)
                least = std::min(least, std::max(one.least, least_of_grid(one.price.grid, least)));
        return least;
    }

    const plan_state &plan_;
    const group_cuts &cuts_;
    split_tables &splits_;
    const redistributions counted_;
};

} // namespace

layouts choose_layouts(const plan_state &plan, const group_cuts &cuts, shared_tables &tables) {
    return search(plan, cuts, tables).run();
}

} // namespace tenfold::dist_impl
