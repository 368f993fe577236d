#include "dist_plan/fit_layouts.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "dist_plan/split_table.hpp"

namespace tenfold::dist_impl {
namespace {

constexpr int most_ranks_looked_at = 64;
constexpr std::size_t most_ties = 12;
constexpr label_class groups[] = {label_class::batch, label_class::m, label_class::n,
                                  label_class::k};
constexpr operand_id all_operands[] = {operand_a, operand_b, operand_d};

class fitting {
public:
    fitting(const plan_state &plan, const processor_grid &grid) : plan_(plan) {
        best_.grid = grid;
        best_.parts.assign(plan.problem->labels.size(), 1);
        for (const label_class group : groups) {
            const int parts = factors_of(grid)[static_cast<std::size_t>(group)];
            set_parts(best_, group,
                      is_fixed(group) ? plan.leaves.factors(parts)
                                      : table(group, parts).factors(parts));
        }
        best_.cut_further(*plan.problem);
        words_ = redistribution(plan_, layouts(plan_.problem, best_));
    }

    layouts run() {
        try_orders();
        for (const label_class group : groups)
            try_parts(group);
        for (const operand_id operand : all_operands)
            try_pieces(operand);
        try_orders();
        return {plan_.problem, best_};
    }

private:
    split_table table(label_class group, int parts) const {
        return {plan_.problem->extents_of(plan_.problem->group(group)), parts};
    }

    /// True if only one way to cut the group is right.
    bool is_fixed(label_class group) const noexcept {
        return group == label_class::k && plan_.reproducible();
    }

    void set_parts(layout_choice &choice, label_class group,
                   const std::vector<int> &factors) const {
        const std::vector<int> labels = plan_.problem->group(group);
        for (std::size_t i = 0; i < labels.size(); ++i)
            choice.parts[static_cast<std::size_t>(labels[i])] = factors[i];
    }

    void consider(const layout_choice &choice) {
        const redistribution_words words = redistribution(plan_, layouts(plan_.problem, choice));
        if (words < words_) {
            words_ = words;
            best_ = choice;
        }
    }

    void try_orders() {
        layout_choice choice = best_;
        std::array<int, 4> order{0, 1, 2, 3};
        do {
            if (words_.sum == 0)
                return;
            choice.order = order;
            consider(choice);
        } while (std::next_permutation(order.begin(), order.end()));
    }

    void try_parts(label_class group) {
        const int parts = factors_of(best_.grid)[static_cast<std::size_t>(group)];
        if (parts == 1 || words_.sum == 0 || is_fixed(group))
            return;
        layout_choice choice = best_;
        for (const std::vector<int> &factors : table(group, parts).ties(parts, most_ties)) {
            set_parts(choice, group, factors);
            choice.cut_further(*plan_.problem);
            consider(choice);
        }
    }

    void try_pieces(operand_id operand) {
        const int parts = best_.team_size(operand);
        if (parts == 1 || words_.sum == 0 || best_.further[operand].empty())
            return;
        extents_t panel;
        for (const int label : plan_.problem->panel_labels(operand))
            panel.push_back(
                base::divide_up(plan_.problem->labels[static_cast<std::size_t>(label)].extent,
                                best_.parts[static_cast<std::size_t>(label)]));
        layout_choice choice = best_;
        for (const std::vector<int> &factors : split_table(panel, parts).ties(parts, most_ties)) {
            choice.further[operand] = factors;
            consider(choice);
        }
    }

    const plan_state &plan_;
    layout_choice best_;
    redistribution_words words_;
};

} // namespace

redistribution_words redistribution(const plan_state &plan, const layouts &candidate) {
    redistribution_words words;
    const int looked_at = std::min(plan.ranks, most_ranks_looked_at);
    for (int i = 0; i < looked_at; ++i) {
        const auto rank = static_cast<int>(std::int64_t{i} * plan.ranks / looked_at);
        const index_t received = plan.words_redistributed(candidate, rank);
        words.most = std::max(words.most, received);
        words.sum += received;
    }
    return words;
}

layouts fit_layouts(const plan_state &plan, const processor_grid &grid) {
    return fitting(plan, grid).run();
}

} // namespace tenfold::dist_impl
