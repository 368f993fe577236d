#include "distributed/plan/fit_layouts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "base/cut.hpp"
#include "distributed/plan/nodes.hpp"
#include "distributed/plan/split_table.hpp"

namespace tenfold::dist_impl {
namespace {

constexpr std::size_t most_ties = 12;
/// Number of steps along k, and of parts of the sum over k, that a contraction is expected to have.
constexpr index_t usual_steps = 8;
/// Parts of the grid for the ranks of a node that are tried, beside none.
constexpr std::size_t most_node_parts = 3;

class fitting {
public:
    fitting(const plan_state &plan, const processor_grid &grid, const copied_inputs &copied,
            bool evenly, split_tables &tables)
        : plan_(plan), evenly_(evenly), tables_(tables) {
        best_.grid = grid;
        best_.copied = copied;
        best_.ranks_per_node = plan.options.ranks_per_node;
        best_.parts.assign(plan.problem->labels.size(), 1);
        if (plan.reproducible())
            best_.places = plan.leaves.places(plan.problem->labels.size());
        for (const label_class group : einsum_impl::product_classes) {
            const int parts = factors_of(grid)[static_cast<std::size_t>(group)];
            set_parts(best_, group,
                      is_fixed(group) ? plan.leaves.factors(parts) : table(group, parts).factors());
        }
        best_.cut_further(*plan.problem, evenly, tables);
        for (const grid_position &part : parts_for_nodes(plan, best_))
            if (node_parts_.size() <= most_node_parts)
                node_parts_.push_back(part);
    }

    /// Improves the choice and returns its cost.
    redistribution_words run(const redistributions &counted) {
        counted_ = &counted;
        words_ = cost_of(best_, redistributions::no_limit);
        try_orders();
        const redistribution_words in_best_order = words_;
        for (const label_class group : einsum_impl::product_classes)
            try_parts(group);
        for (const tensor_id operand : all_but_c)
            try_pieces(operand);
        if (words_ < in_best_order)
            try_orders();
        return words_;
    }

    layouts result() const { return {plan_.problem, best_}; }

private:
    const split_table &table(label_class group, int parts) const {
        return tables_.of(plan_.problem->extents_of(plan_.problem->group(group)), parts);
    }

    /// Returns true if only one way to cut the group is allowed.
    bool is_fixed(label_class group) const noexcept {
        return group == label_class::k && plan_.reproducible();
    }

    void set_parts(layout_choice &choice, label_class group,
                   const std::vector<int> &factors) const {
        const std::vector<int> labels =
            is_fixed(group) ? plan_.leaves.labels() : plan_.problem->group(group);
        for (std::size_t i = 0; i < labels.size(); ++i)
            choice.parts[static_cast<std::size_t>(labels[i])] = factors[i];
    }

    /// Returns the words of redistribution, plus those of panels that come from other nodes, a
    /// rank's share of its node's, plus a penalty where pieces are not cut evenly: the first part
    /// of A and B and the last part of D then take longer to arrive. The cost is 0 if all operands
    /// already lie in place, on one node. Once it cannot be less than `enough`, it may be any cost
    /// that is not.
    redistribution_words cost_of(const layout_choice &choice,
                                 const redistribution_words &enough) const {
        redistribution_words words = counted_->of(choice, enough);
        if (words >= enough)
            return words;
        if (const index_t more = share_between_nodes(plan_, choice); more > 0) {
            words.most = base::saturated_add(words.most, more);
            for_some_ranks(plan_.ranks,
                           [&](int) { words.sum = base::saturated_add(words.sum, more); });
        }
        if (words.sum == 0)
            return words;
        for (const tensor_id operand : all_but_c) {
            if (operand == B && plan_.problem->unary)
                continue;
            const index_t times = choice.unevenness(*plan_.problem, operand) - 1;
            if (times == 0)
                continue;
            const index_t more =
                first_panel(choice, operand) / usual_steps * times * plan_.words.moved[operand];
            words.most += more;
            for_some_ranks(plan_.ranks, [&](int) { words.sum += more; });
        }
        return words;
    }

    /// Elements of the panel of rank 0.
    index_t first_panel(const layout_choice &choice, tensor_id operand) const {
        index_t size = 1;
        for (const int label : plan_.problem->panel_labels(operand)) {
            const auto number = static_cast<std::size_t>(label);
            size = base::saturated_multiply( // if another one is empty
                size, base::cut(plan_.problem->labels[number].extent, 1, choice.parts[number]));
        }
        return size;
    }

    void consider(const layout_choice &choice) {
        const redistribution_words words = cost_of(choice, words_);
        if (words < words_) {
            words_ = words;
            best_ = choice;
        }
    }

    void try_orders() {
        for (const grid_position &part : node_parts_)
            try_orders(part);
    }

    void try_orders(const grid_position &node_part) {
        layout_choice choice = best_;
        choice.node_part = node_part;
        std::array<int, 4> order{0, 1, 2, 3};
        do {
            if (words_.sum == 0)
                return;
            if (!is_first_of_its_kind(order))
                continue;
            choice.order = order;
            consider(choice);
        } while (std::next_permutation(order.begin(), order.end()));
    }

    /// Groups that are not cut may stand anywhere in an order. Returns true if they stand behind
    /// all others, in order: of the orders with the same ranks, only this one is tried.
    bool is_first_of_its_kind(const std::array<int, 4> &order) const noexcept {
        const grid_position factors = factors_of(best_.grid);
        const auto is_cut = [&](int group) { return factors[static_cast<std::size_t>(group)] > 1; };
        const auto uncut = std::find_if_not(order.begin(), order.end(), is_cut);
        return std::none_of(uncut, order.end(), is_cut) && std::is_sorted(uncut, order.end());
    }

    void try_parts(label_class group) {
        const int parts = factors_of(best_.grid)[static_cast<std::size_t>(group)];
        if (parts == 1 || words_.sum == 0 || is_fixed(group))
            return;
        layout_choice choice = best_;
        for (const std::vector<int> &factors : table(group, parts).ties(most_ties)) {
            set_parts(choice, group, factors);
            choice.cut_further(*plan_.problem, evenly_, tables_);
            consider(choice);
        }
    }

    void try_pieces(tensor_id operand) {
        const int parts = best_.team_size(operand);
        if (parts == 1 || words_.sum == 0 || best_.further[operand].empty())
            return;
        layout_choice choice = best_;
        for (const bool evenly : {true, false}) {
            const split_table &ways =
                choice.ways_to_cut_further(*plan_.problem, operand, evenly, tables_);
            for (const std::vector<int> &factors : ways.ties(most_ties)) {
                choice.further[operand] = factors;
                consider(choice);
            }
        }
    }

    const plan_state &plan_;
    const redistributions *counted_ = nullptr;
    bool evenly_;
    split_tables &tables_;
    layout_choice best_;
    std::vector<grid_position> node_parts_ = {grid_position{1, 1, 1, 1}};
    redistribution_words words_;
};

} // namespace

std::vector<copied_inputs> ways_to_copy(const plan_state &plan, const processor_grid &grid) {
    std::vector<copied_inputs> ways{{}};
    for (const auto &[operand, sharers] : {std::pair(A, grid.n), std::pair(B, grid.m)}) {
        if (sharers == 1 || plan.given[operand].copies() == 1)
            continue;
        const std::size_t before = ways.size();
        for (std::size_t i = 0; i < before; ++i) {
            copied_inputs more = ways[i];
            more[operand] = true;
            ways.push_back(more);
        }
    }
    return ways;
}

layouts layouts_before_fitting(const plan_state &plan, const processor_grid &grid,
                               const copied_inputs &copied, split_tables &tables) {
    return fitting(plan, grid, copied, true, tables).result();
}

layouts fit_layouts(const plan_state &plan, const processor_grid &grid, const copied_inputs &copied,
                    const redistributions &counted, split_tables &tables) {
    fitting even(plan, grid, copied, true, tables);
    const redistribution_words cost = even.run(counted);
    if (cost.sum == 0)
        return even.result();
    fitting any(plan, grid, copied, false, tables);
    return any.run(counted) < cost ? any.result() : even.result();
}

} // namespace tenfold::dist_impl
