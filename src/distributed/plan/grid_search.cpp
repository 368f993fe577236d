#include "distributed/plan/grid_search.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "distributed/plan/fit_layouts.hpp"
#include "distributed/plan/split_table.hpp"
#include "distributed/plan/steps.hpp"

namespace tenfold::dist_impl {
namespace {

__extension__ using wide = __int128; // m n k may exceed 64 bits although every tensor fits

/// How much more than the cheapest grid others may cost and receive to be compared with it, as a
/// share of all that this one costs and receives, its redistribution included. A tenth is about
/// what prices are good for; more receives more where redistribution can be avoided.
constexpr double close = 0.1;
/// Number of grids, beside the cheapest, whose redistribution is estimated, and number of grids for
/// which the layouts with the least redistribution are sought, which takes most of a plan's time.
constexpr std::size_t most_estimated = 64;
constexpr std::size_t most_fitted = 4;
/// Number of grids that are tried under a limit of memory: the cheapest of all, and the cheapest
/// without a sum over pk, which needs memory for incomplete products.
constexpr std::size_t most_tried = 400;
constexpr std::size_t most_tried_without_sum = 100;

struct candidate {
    processor_grid grid;
    wide words;  ///< received by the busiest rank
    double cost; ///< in seconds
    /// Part of the cost: what redistribution takes at least.
    double redistributing = 0;

    auto order() const { return std::tuple(cost, grid.size(), grid.k, grid.n, grid.m, grid.batch); }
    friend bool operator<(const candidate &a, const candidate &b) { return a.order() < b.order(); }
};

class search {
public:
    explicit search(const plan_state &plan)
        : plan_(plan), batch_(table(label_class::batch)), m_(table(label_class::m)),
          n_(table(label_class::n)), k_(table(label_class::k)), parts_of_k_(k_.useful()) {
        for (const problem_label &label : plan.problem->labels)
            is_empty_ = is_empty_ || label.extent == 0;
        for (const tensor_id operand : all_but_c) {
            sizes_[operand] = 1;
            for (const index_t extent : plan.given[operand].extents())
                sizes_[operand] = base::saturated_multiply(sizes_[operand], extent);
        }
        if (plan.reproducible()) {
            parts_of_k_.clear();
            for (int parts = 1; plan.leaves.possible(parts) && parts <= plan.ranks; parts *= 2)
                parts_of_k_.push_back(parts);
        }
    }

    layouts run() const {
        if (plan_.options.grid)
            return forced(*plan_.options.grid);
        std::vector<candidate> all = enumerate();
        std::sort(all.begin(), all.end());
        layouts best = default_steps(plan_, best_of_shortlist(all));
        if (!plan_.options.memory_per_rank)
            return best;
        const byte_count limit = *plan_.options.memory_per_rank;
        if (peak_bytes(plan_, best) <= limit.value - reserved_workspace(plan_, limit.value))
            return best;
        return best_within(all, limit);
    }

private:
    split_table table(label_class group) const {
        return {plan_.problem->extents_of(plan_.problem->group(group)), plan_.ranks};
    }

    std::vector<candidate> enumerate() const {
        std::vector<candidate> found;
        for (const int batch : batch_.useful())
            for (const int m : m_.useful()) {
                if (std::int64_t{batch} * m > plan_.ranks)
                    break;
                for (const int n : n_.useful()) {
                    if (std::int64_t{batch} * m * n > plan_.ranks)
                        break;
                    for (const int k : parts_of_k_) {
                        const processor_grid grid{batch, m, n, k};
                        if (grid.size() > plan_.ranks)
                            break;
                        found.push_back(evaluate(grid));
                    }
                }
            }
        return found;
    }

    /// Scores the grid by the largest block, as if one rank had the largest block of every operand.
    candidate evaluate(const processor_grid &grid) const {
        // Groups of an empty contraction may each have up to 2^63 - 1 positions.
        const index_t most = is_empty_ ? INT32_MAX : INT64_MAX;
        const wide batch = std::min(batch_.largest(grid.batch), most);
        const wide m = std::min(m_.largest(grid.m), most);
        const wide n = std::min(n_.largest(grid.n), most);
        const wide k = std::min(
            plan_.reproducible() ? plan_.leaves.largest(grid.k) : k_.largest(grid.k), most);
        const auto missing = [](wide block, int parts) { return block - block / parts; };
        wide words = missing(batch * m * k, grid.n) + missing(batch * m * n, grid.k);
        if (!plan_.problem->unary)
            words += missing(batch * k * n, grid.m);
        const double redistributing = least_redistribution(grid);
        return {grid, words,
                plan_.price.multiplying(plan_.type, static_cast<double>(batch * m * n * k)) +
                    receiving(words, least_messages(grid)) + redistributing,
                redistributing};
    }

    /// Tensors that lie on more ranks than the grid has must be brought to these, whatever the
    /// layouts are: small contractions are not for one rank only because that multiplies alone.
    double least_redistribution(const processor_grid &grid) const noexcept {
        const index_t ranks = grid.size();
        wide words = 0;
        for (const tensor_id operand : all_but_c)
            if (operand != B || !plan_.problem->unary)
                words += std::max<index_t>(0, sizes_[operand] / ranks -
                                                  plan_.given[operand].largest_block());
        return receiving(words, redistribution_messages(grid));
    }
    int redistribution_messages(const processor_grid &grid) const noexcept {
        index_t messages = 0;
        for (const tensor_id operand : all_but_c)
            if (operand != B || !plan_.problem->unary)
                messages +=
                    base::divide_up(index_t{plan_.given[operand].cells()}, index_t{grid.size()}) -
                    1;
        return static_cast<int>(messages);
    }

    double receiving(wide words, int messages) const noexcept {
        return plan_.price.receiving(static_cast<double>(words * size_of(plan_.type)), messages);
    }

    layouts make(const processor_grid &grid) const { return fit_layouts(plan_, grid); }

    layouts forced(const processor_grid &grid) const {
        const auto check = [](const char *name, const split_table &table, int parts) {
            if (!table.possible(parts))
                throw error(errc::invalid_argument,
                            std::string("grid: ") + name + " cannot be cut into " +
                                std::to_string(parts) + " parts" +
                                (parts > 1 ? "; it has no label, or there are fewer ranks" : ""));
        };
        check("batch", batch_, grid.batch);
        check("m", m_, grid.m);
        check("n", n_, grid.n);
        check("k", k_, grid.k);
        if (plan_.reproducible() && !plan_.leaves.possible(grid.k))
            throw error(errc::invalid_argument,
                        "grid: a reproducible sum over k can be cut into powers of 2 up to " +
                            std::to_string(plan_.leaves.count()) + ", not into " +
                            std::to_string(grid.k) + " parts");
        if (grid.size() > plan_.ranks)
            throw error(errc::invalid_argument, "grid: it needs " + std::to_string(grid.size()) +
                                                    " ranks, but there are " +
                                                    std::to_string(plan_.ranks));
        const layouts where = make(grid);
        if (!plan_.options.memory_per_rank)
            return default_steps(plan_, where);
        const byte_count limit = *plan_.options.memory_per_rank;
        std::optional<layouts> steps = steps_within(plan_, where, limit.value);
        if (!steps)
            throw memory_refusal(bytes(least_memory(plan_, where)), limit);
        return std::move(*steps);
    }

    /// Redistribution decides among grids that cost and receive about as much as the cheapest one.
    /// Fits only the most promising of them.
    layouts best_of_shortlist(const std::vector<candidate> &sorted) const {
        const candidate &cheapest = sorted.front();
        layouts where = make(cheapest.grid);
        candidate best = with_redistribution(cheapest, redistribution(plan_, where).most);
        const double most_seconds = cheapest.cost + close * best.cost;
        const wide most_words =
            cheapest.words + static_cast<wide>(close * static_cast<double>(best.words));
        std::vector<candidate> others; // the cost includes an estimate of redistribution
        for (const candidate &one : sorted)
            if (one.cost <= most_seconds && one.words <= most_words && &one != &cheapest &&
                others.size() < most_estimated)
                others.push_back(
                    with_redistribution(one, redistribution_before_fitting(plan_, one.grid).most));
        std::sort(others.begin(), others.end());
        others.resize(std::min(others.size(), most_fitted - 1));
        for (const candidate &estimated : others) {
            layouts other = make(estimated.grid);
            const candidate one =
                with_redistribution(evaluate(estimated.grid), redistribution(plan_, other).most);
            const bool moves = one.redistributing > 0;
            const bool best_moves = best.redistributing > 0;
            // The layouts that a plan prefers are those that it uses if operands lie there.
            if (moves != best_moves ? best_moves : one < best) {
                best = one;
                where = std::move(other);
            }
        }
        return where;
    }

    candidate with_redistribution(candidate one, index_t words) const noexcept {
        const double all = receiving(words, redistribution_messages(one.grid));
        one.words += words;
        one.cost += std::max(0.0, all - one.redistributing);
        one.redistributing = std::max(all, one.redistributing);
        return one;
    }

    std::vector<candidate> shortlist_for_memory(const std::vector<candidate> &sorted) const {
        std::vector<candidate> tried;
        std::size_t without_sum = 0;
        for (const candidate &one : sorted) {
            const bool sums = one.grid.k > 1;
            if (tried.size() < most_tried || (!sums && without_sum < most_tried_without_sum)) {
                tried.push_back(one);
                without_sum += sums ? 0 : 1;
            }
        }
        return tried;
    }

    layouts best_within(const std::vector<candidate> &sorted, byte_count limit) const {
        index_t least = INT64_MAX;
        std::optional<std::pair<double, layouts>> best;
        for (const candidate &one : shortlist_for_memory(sorted)) {
            if (best && one.cost >= best->first)
                break;
            const layouts where = make(one.grid);
            std::optional<layouts> steps = steps_within(plan_, where, limit.value);
            if (!steps) {
                least = std::min(least, least_memory(plan_, where, least));
                continue;
            }
            const auto last = static_cast<int>(one.grid.size()) - 1;
            const wide again = steps->words_received(last) - where.words_received(last);
            const wide updates = // every step along k reads and writes D
                2 * wide{steps->panel_of(D, last).size()} * (steps->step_counts()[3] - 1);
            const double cost =
                one.cost + receiving(again, 0) +
                plan_.price.updating(static_cast<double>(updates * size_of(plan_.type)));
            if (!best || cost < best->first)
                best.emplace(cost, std::move(*steps));
        }
        if (!best)
            throw memory_refusal(bytes(least), limit);
        return std::move(best->second);
    }

    const plan_state &plan_;
    split_table batch_, m_, n_, k_;
    std::array<index_t, 3> sizes_{}; ///< of the tensors, in elements
    bool is_empty_ = false;          ///< one of the tensors is empty
    std::vector<int> parts_of_k_;    ///< numbers of parts of k that are worth trying
};

} // namespace

layouts choose_layouts(const plan_state &plan) { return search(plan).run(); }

} // namespace tenfold::dist_impl
