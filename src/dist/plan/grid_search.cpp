#include "dist_plan/grid_search.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "base/size_text.hpp"
#include "dist_plan/buffers.hpp"
#include "dist_plan/fit_layouts.hpp"
#include "dist_plan/split_table.hpp"

namespace tenfold::dist_impl {
namespace {

__extension__ using wide = __int128; // m n k need not fit 64 bits although every tensor does

/// What a byte received costs, in flops of one rank: 1 Tflop/s against 30 GB/s on a cluster's node,
/// less on small machines. It decides only between near-equal grids and how many ranks a small
/// contraction is worth.
constexpr wide flops_per_byte = 32;
constexpr std::size_t shortlist_length = 4;

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
          n_(table(label_class::n)), k_(table(label_class::k)) {}

    layouts run() const {
        if (plan_.options.grid)
            return forced(*plan_.options.grid);
        std::vector<candidate> all = enumerate();
        std::sort(all.begin(), all.end());
        if (plan_.options.memory_per_rank)
            return best_within(all, *plan_.options.memory_per_rank);
        return best_of_shortlist(all);
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
                    for (const int k : k_.useful()) {
                        const processor_grid grid{batch, m, n, k};
                        if (grid.size() > plan_.ranks)
                            break;
                        found.push_back(evaluate(grid));
                    }
                }
            }
        return found;
    }

    /// Of the largest block, as if one rank had the largest of everything.
    candidate evaluate(const processor_grid &grid) const {
        const wide batch = batch_.largest(grid.batch);
        const wide m = m_.largest(grid.m);
        const wide n = n_.largest(grid.n);
        const wide k = k_.largest(grid.k);
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
        if (grid.size() > plan_.ranks)
            throw error(errc::invalid_argument, "grid: it needs " + std::to_string(grid.size()) +
                                                    " ranks, but there are " +
                                                    std::to_string(plan_.ranks));
        layouts where = make(grid);
        if (plan_.options.memory_per_rank &&
            peak_bytes(plan_, where) > plan_.options.memory_per_rank->value)
            throw too_small(peak_bytes(plan_, where), *plan_.options.memory_per_rank);
        return where;
    }

    /// Grids close to the cheapest differ by less than the model knows; moving the operands into
    /// place is what tells them apart.
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

    layouts best_within(const std::vector<candidate> &sorted, byte_count limit) const {
        index_t least = INT64_MAX;
        for (const candidate &one : sorted) {
            layouts where = make(one.grid);
            const index_t peak = peak_bytes(plan_, where);
            if (peak <= limit.value)
                return where;
            least = std::min(least, peak);
        }
        throw too_small(least, limit);
    }

    static error too_small(index_t least, byte_count limit) {
        return {errc::workspace_too_small,
                "memory per rank: " + base::describe(limit) + " is not enough; the least is " +
                    base::describe(bytes(least)) + " (" + std::to_string(least) + " bytes)"};
    }

    const plan_state &plan_;
    split_table batch_, m_, n_, k_;
};

} // namespace

index_t peak_bytes(const plan_state &plan, const layouts &candidate) {
    std::array<bool, 3> in_place{};
    for (const operand_id operand : {operand_a, operand_b, operand_d})
        in_place[operand] = plan.in_place(operand, candidate.pieces(operand, plan.ranks));
    index_t peak = 0;
    for (int rank = 0; rank < plan.ranks; ++rank) {
        index_t words = buffers_of(plan, candidate, in_place, rank).total();
        for (std::size_t operand = 0; operand < 3; ++operand)
            if (!plan.problem->unary || operand != operand_b)
                words += plan.given[operand].block_of(rank).size();
        peak = std::max(peak, words * size_of(plan.type));
    }
    return peak;
}

layouts choose_layouts(const plan_state &plan) { return search(plan).run(); }

} // namespace tenfold::dist_impl
