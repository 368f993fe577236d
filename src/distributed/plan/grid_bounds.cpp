#include "distributed/plan/grid_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "distributed/plan/costs.hpp"
#include "distributed/plan/split_table.hpp"

namespace tenfold::dist_impl {
namespace {

/// Number of equally good ways to cut a group that are looked at; as in fit_layouts().
constexpr std::size_t most_ways = 12;
/// Number of grids that are returned at most. Among more ranks than multiply-adds are worth, there
/// can be millions.
constexpr std::size_t most_grids = 4096;

/// Returns how much of a block that `parts` ranks share one of them receives.
double missing(double block, int parts) noexcept { return block - std::floor(block / parts); }

} // namespace

group_cuts::group_cuts(const labelled_problem &problem, const reproducible_impl::leaf_grid *leaves,
                       int ranks) {
    for (const label_class group : einsum_impl::product_classes) {
        const auto number = static_cast<std::size_t>(group);
        std::vector<int> &labels = labels_[number];
        std::vector<cut> &cuts = cuts_[number];
        const bool in_leaves = group == label_class::k && leaves != nullptr;
        labels = in_leaves ? leaves->labels() : problem.group(group);
        const auto add = [&](int parts, index_t largest,
                             const std::vector<std::vector<int>> &ways) {
            cuts.push_back({parts, static_cast<double>(largest), {}});
            for (const std::vector<int> &way : ways) {
                std::vector<index_t> &blocks = cuts.back().ways.emplace_back();
                for (std::size_t i = 0; i < labels.size(); ++i)
                    blocks.push_back(
                        base::divide_up(problem.labels[static_cast<std::size_t>(labels[i])].extent,
                                        index_t{way[i]}));
            }
        };
        if (in_leaves) {
            for (int parts = 1; leaves->possible(parts) && parts <= ranks; parts *= 2)
                add(parts, leaves->largest(parts), {leaves->factors(parts)});
            continue;
        }
        const extents_t extents = problem.extents_of(labels);
        for (const useful_split &split : useful_splits(extents, ranks)) {
            const split_table table(extents, split.parts);
            std::vector<std::vector<int>> ways = table.ties(most_ways);
            ways.push_back(table.factors());
            add(split.parts, split.largest, ways);
        }
    }
}

grid_bounds::grid_bounds(const plan_state &plan, const group_cuts &cuts) : plan_(plan) {
    const labelled_problem &problem = *plan.problem;
    for (const tensor_id operand : all_but_c) {
        const operand_labels &labels = problem.operands[operand];
        const distribution &given = plan.given[operand];
        extents_t &block = blocks_[operand];
        for (const problem_label &label : problem.labels)
            block.push_back(label.extent);
        for (std::size_t mode = 0; mode < labels.modes.size(); ++mode) {
            index_t &extent = block[static_cast<std::size_t>(labels.modes[mode])];
            extent = std::min(extent,
                              base::divide_up(given.extents()[mode], index_t{given.grid()[mode]}));
        }
        std::vector<bool> &panel = panels_[operand];
        panel.assign(problem.labels.size(), false);
        for (const int number : problem.panel_labels(operand))
            panel[static_cast<std::size_t>(number)] = true;
        sizes_[operand] = isolated_[operand] = 1;
        for (const int number : labels.distinct) {
            const auto label = static_cast<std::size_t>(number);
            sizes_[operand] *= static_cast<double>(problem.labels[label].extent);
            if (!panel[label])
                isolated_[operand] *= static_cast<double>(block[label]);
        }
    }
    for (const label_class group : einsum_impl::product_classes)
        cuts_[static_cast<std::size_t>(group)] = cuts_of(group, cuts);
}

std::vector<grid_bounds::group_cut> grid_bounds::cuts_of(label_class group,
                                                         const group_cuts &cuts) const {
    std::vector<group_cut> found;
    const std::vector<int> &labels = cuts.labels(group);
    for (const group_cuts::cut &one : cuts.of(group)) {
        group_cut made{one.parts, one.largest};
        for (const tensor_id operand : all_but_c) {
            double most = 0;
            for (const std::vector<index_t> &way : one.ways) {
                double shared = 1;
                for (std::size_t i = 0; i < labels.size(); ++i) {
                    const auto label = static_cast<std::size_t>(labels[i]);
                    if (panels_[operand][label])
                        shared *= static_cast<double>(std::min(way[i], blocks_[operand][label]));
                }
                most = std::max(most, shared);
            }
            made.shared[operand] = most;
        }
        found.push_back(made);
    }
    return found;
}

std::vector<priced_grid> grid_bounds::all() const {
    std::vector<priced_grid> found = unsorted();
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<priced_grid> grid_bounds::unsorted() const {
    std::vector<priced_grid> found;
    const auto keep_cheapest = [&] {
        if (found.size() <= most_grids)
            return;
        std::nth_element(found.begin(), found.begin() + most_grids, found.end());
        found.resize(most_grids);
    };
    for (const group_cut &batch : cuts_[0])
        for (const group_cut &m : cuts_[1]) {
            if (std::int64_t{batch.parts} * m.parts > plan_.ranks)
                break;
            for (const group_cut &n : cuts_[2]) {
                if (std::int64_t{batch.parts} * m.parts * n.parts > plan_.ranks)
                    break;
                for (const group_cut &k : cuts_[3]) {
                    if (std::int64_t{batch.parts} * m.parts * n.parts * k.parts > plan_.ranks)
                        break;
                    found.push_back(price({&batch, &m, &n, &k}));
                }
                if (found.size() >= 16 * most_grids)
                    keep_cheapest();
            }
        }
    keep_cheapest();
    return found;
}

/// As if one rank had the largest block of every operand.
priced_grid grid_bounds::price(const grid_cut &cut) const {
    const auto &[batch, m, n, k] = cut;
    const processor_grid grid{batch->parts, m->parts, n->parts, k->parts};
    const auto gathered = [&](tensor_id operand, double panel, int sharers) {
        double least = missing(panel, sharers);
        if (plan_.given[operand].copies() > 1) { // a rank may have more than a piece
            double shared = 1;
            for (const group_cut *one : cut)
                shared *= one->shared[operand];
            least = std::min(least, std::max(0.0, panel - shared));
        }
        return least * static_cast<double>(plan_.words.product[operand]);
    };
    double words = gathered(A, batch->largest * m->largest * k->largest, grid.n) +
                   missing(batch->largest * m->largest * n->largest, grid.k) *
                       static_cast<double>(plan_.words.of_sum());
    if (!plan_.problem->unary)
        words += gathered(B, batch->largest * k->largest * n->largest, grid.m);
    processor_grid teams = grid; // nobody sends panels of which every rank may have the whole
    if (plan_.given[A].copies() > 1)
        teams.n = 1;
    if (!plan_.problem->unary && plan_.given[B].copies() > 1)
        teams.m = 1;
    const double multiply_adds = batch->largest * m->largest * n->largest * k->largest;
    const may_be_kept kept_where_it_lies = kept(cut, grid);
    return {grid, plan_.price.multiplying(plan_.type, multiply_adds),
            panel_seconds(plan_, teams, words),
            receiving_seconds(plan_, least_words(kept_where_it_lies, grid), least_messages(grid)),
            kept_where_it_lies};
}

may_be_kept grid_bounds::kept(const grid_cut &cut, const processor_grid &grid) const {
    may_be_kept most;
    for (const tensor_id operand : all_but_c) {
        const double piece = sizes_[operand] / static_cast<double>(grid.size());
        double shared = isolated_[operand];
        for (const group_cut *one : cut)
            shared *= one->shared[operand];
        most.words[operand] = std::min(std::ceil(piece), shared);
        most.all[operand] = piece <= most.words[operand];
    }
    return most;
}

/// Returns the words that some rank receives to reach any layouts of the grid, or of the result:
/// the mean of ranks whose blocks all lie as well as possible, or what a rank without a block
/// receives.
double grid_bounds::least_words(const may_be_kept &kept, const processor_grid &grid) const {
    const auto ranks = static_cast<double>(grid.size());
    double mean = 0;
    double alone = 0;
    for (const tensor_id operand : all_but_c) {
        if (operand == B && plan_.problem->unary)
            continue;
        const double cells = plan_.given[operand].cells();
        const double holders = cells * plan_.given[operand].copies();
        const double wanted = sizes_[operand] / (operand == D ? cells : ranks);
        const auto words = static_cast<double>(plan_.words.moved[operand]);
        mean += words * std::max(0.0, wanted - kept.words[operand]);
        if (operand == D ? ranks < holders : holders < ranks)
            alone = std::max(alone, words * wanted);
    }
    return std::max(mean, alone);
}

int grid_bounds::least_messages(const processor_grid &grid) const noexcept {
    index_t messages = 0;
    for (const tensor_id operand : all_but_c) {
        if (operand == B && plan_.problem->unary)
            continue;
        const index_t cells = plan_.given[operand].cells();
        const index_t pieces = sizes_[operand] < static_cast<double>(grid.size())
                                   ? std::max<index_t>(1, static_cast<index_t>(sizes_[operand]))
                                   : grid.size(); // scalars are not cut
        messages += operand == D ? base::divide_up(pieces, cells) : base::divide_up(cells, pieces);
        messages -= 1; // a rank may have one of them itself
    }
    return static_cast<int>(messages);
}

} // namespace tenfold::dist_impl
