#include "distributed/plan/grid_search.hpp"

#include <algorithm>
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

/// The cost of a byte of local memory, in flops. Every step along k reads and writes D.
constexpr wide flops_per_local_byte = 3;
constexpr std::size_t shortlist_length = 4;
/// Number of grids that are tried under a limit of memory: the cheapest of all, and the cheapest
/// without a sum over pk, which needs memory for incomplete products.
constexpr std::size_t most_tried = 400;
constexpr std::size_t most_tried_without_sum = 100;

struct candidate {
    processor_grid grid;
    wide words; ///< received by the busiest rank
    wide cost;

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
        const wide flops =
            batch * m * n * k * static_cast<wide>(flops_per_multiply_add(plan_.type));
        return {grid, words, flops + words * size_of(plan_.type) * flops_per_byte};
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

    /// The model cannot tell grids apart whose costs are this close; the cost of redistribution
    /// decides among them.
    layouts best_of_shortlist(const std::vector<candidate> &sorted) const {
        const auto close = [](wide value, wide best) { return value <= best + best / 20; };
        std::optional<std::pair<candidate, layouts>> best;
        std::size_t left = shortlist_length;
        for (std::size_t i = 0; i < sorted.size() && left > 0; ++i) {
            if (!close(sorted[i].cost, sorted.front().cost) ||
                !close(sorted[i].words, sorted.front().words))
                continue;
            --left;
            layouts where = make(sorted[i].grid);
            const index_t words = redistribution(plan_, where).most;
            candidate one = sorted[i];
            one.cost += wide{words} * size_of(plan_.type) * flops_per_byte;
            if (!best || one < best->first)
                best.emplace(one, std::move(where));
        }
        return std::move(best->second);
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
        std::optional<std::pair<wide, layouts>> best;
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
            const wide updates =
                2 * wide{steps->panel_of(D, last).size()} * (steps->step_counts()[3] - 1);
            const wide cost = one.cost + size_of(plan_.type) * (again * flops_per_byte +
                                                                updates * flops_per_local_byte);
            if (!best || cost < best->first)
                best.emplace(cost, std::move(*steps));
        }
        if (!best)
            throw memory_refusal(bytes(least), limit);
        return std::move(best->second);
    }

    const plan_state &plan_;
    split_table batch_, m_, n_, k_;
    bool is_empty_ = false;       ///< one of the tensors is empty
    std::vector<int> parts_of_k_; ///< numbers of parts of k that are worth trying
};

} // namespace

layouts choose_layouts(const plan_state &plan) { return search(plan).run(); }

} // namespace tenfold::dist_impl
