#include "distributed/plan/nodes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/checked.hpp"

namespace tenfold::dist_impl {

namespace {

using base::saturated_add;
using base::saturated_multiply;

/// Of more nodes only some are looked at.
constexpr int most_nodes = 64;
constexpr int nodes_of_many = 8;

index_t words_from_other_nodes(const layouts &where, bool unary, const of_operands &words,
                               int rank) {
    index_t sum = 0;
    for (const tensor_id operand : {A, B}) {
        if ((operand == B && unary) || where.team_size(operand) == 1)
            continue;
        const team_routes routes(where, operand, rank);
        const auto here = static_cast<std::size_t>(where.place_in_team(operand, rank));
        index_t elements = 0;
        for (std::size_t owner = 0; owner < routes.team().size(); ++owner) {
            const int from = routes.team()[owner];
            if (owner != here && !where.choice().share_node(from, rank) &&
                routes.sender(owner, here) == owner)
                elements = saturated_add(elements, where.piece_of(operand, from).size());
        }
        const index_t loads = where.loads(operand) * words[operand];
        sum = saturated_add(sum, saturated_multiply(elements, loads));
    }
    index_t senders = 0;
    for (const int from : where.team_of(D, rank))
        senders += where.choice().share_node(from, rank) ? 0 : 1;
    return senders == 0 ? sum
                        : saturated_add(sum, saturated_multiply(where.piece_of(D, rank).size(),
                                                                senders * words[D]));
}

/// Words of a panel of each operand; 0 of those that travel to nobody.
std::array<double, 3> travelling_panels(const plan_state &plan, const layout_choice &choice) {
    std::array<double, 3> words{};
    for (const tensor_id operand : all_but_c) {
        if (choice.team_size(operand) == 1 || (operand == B && plan.problem->unary))
            continue;
        words[operand] = static_cast<double>(plan.words.product[operand]);
        for (const index_t extent : choice.largest_panel(*plan.problem, operand))
            words[operand] *= static_cast<double>(extent);
    }
    return words;
}

/// Counts the pieces of the operand's panels that ranks of the first node receive from other nodes.
index_t pieces_from_other_nodes(const plan_state &plan, const layout_choice &choice,
                                tensor_id operand) {
    const bool are_passed_on = operand != D && (plan.reproducible() || // else steps will take turns
                                                choice.unevenness(*plan.problem, operand) == 1);
    const auto ranks =
        static_cast<int>(std::min<std::int64_t>(choice.ranks_per_node, choice.grid.size()));
    std::vector<grid_position> teams; // of each rank
    for (int rank = 0; rank < ranks; ++rank) {
        teams.push_back(choice.position_of(rank));
        teams.back()[layout_choice::team_group(operand)] = 0;
    }
    std::sort(teams.begin(), teams.end());
    index_t pieces = 0;
    for (auto first = teams.begin(); first != teams.end();) {
        const auto end = std::upper_bound(first, teams.end(), *first);
        const index_t members = end - first;
        pieces += (choice.team_size(operand) - members) * (are_passed_on ? 1 : members);
        first = end;
    }
    return pieces;
}

} // namespace

grid_position layout_choice::position_of(int rank) const noexcept {
    const grid_position factors = factors_of(grid);
    grid_position position{};
    for (const int group : order) {
        const auto g = static_cast<std::size_t>(group);
        if (node_part[g] == 1)
            continue;
        position[g] = rank % node_part[g];
        rank /= node_part[g];
    }
    for (const int group : order) {
        const auto g = static_cast<std::size_t>(group);
        const int nodes = node_part[g] == 1 ? factors[g] : factors[g] / node_part[g];
        position[g] += rank % nodes * node_part[g];
        rank /= nodes;
    }
    return position;
}

int layouts::rank_at(grid_position position) const noexcept {
    const grid_position factors = factors_of(choice_.grid);
    const grid_position &part = choice_.node_part;
    int rank = 0;
    for (std::size_t i = position.size(); i-- > 0;) {
        const auto g = static_cast<std::size_t>(choice_.order[i]);
        rank = rank * (factors[g] / part[g]) + position[g] / part[g];
    }
    for (std::size_t i = position.size(); i-- > 0;) {
        const auto g = static_cast<std::size_t>(choice_.order[i]);
        rank = rank * part[g] + position[g] % part[g];
    }
    return rank;
}

/// As turn_of(): ranks of a team are at different steps if their pieces are cut along k, and steps
/// are, too.
bool layouts::passes_on(tensor_id operand) const noexcept {
    if (choice_.ranks_per_node <= 1 || team_size(operand) == 1)
        return false;
    for (std::size_t mode = 0; choice_.in_turns && mode < further_[operand].size(); ++mode) {
        const auto label = static_cast<std::size_t>(panel_labels_[operand][mode]);
        const index_t pieces = further_[operand][mode].radix;
        if (problem_->labels[label].group == label_class::k && pieces > 1 &&
            step_digits_[label].radix % pieces == 0)
            return false;
    }
    return true;
}

/// Ranks increase with the place in a team, and so do their nodes.
team_routes::team_routes(const layouts &where, tensor_id operand, int rank)
    : team_(where.team_of(operand, rank)), nodes_(team_.size(), {0, team_.size()}) {
    if (!where.passes_on(operand))
        return;
    for (std::size_t first = 0, end = 0; first < team_.size(); first = end) {
        while (end < team_.size() && where.choice().share_node(team_[first], team_[end]))
            ++end;
        for (std::size_t place = first; place < end; ++place)
            nodes_[place] = {first, end - first};
    }
}

index_t words_between_nodes(const layouts &where, bool unary, const of_operands &words) {
    const int ranks_per_node = where.choice().ranks_per_node;
    if (ranks_per_node == 0)
        return 0;
    const auto ranks = static_cast<int>(where.grid().size());
    const auto nodes = static_cast<int>(base::divide_up(ranks, ranks_per_node));
    const int looked_at = nodes > most_nodes ? nodes_of_many : nodes;
    index_t most = 0;
    for (int i = 1; i <= looked_at; ++i) {
        const int node = static_cast<int>(std::int64_t{i} * nodes / looked_at) - 1;
        const int end = std::min(ranks, (node + 1) * ranks_per_node);
        index_t sum = 0;
        for (int rank = node * ranks_per_node; rank < end; ++rank)
            sum = saturated_add(sum, words_from_other_nodes(where, unary, words, rank));
        most = std::max(most, sum);
    }
    return most;
}

index_t share_between_nodes(const plan_state &plan, const layout_choice &choice) {
    if (choice.ranks_per_node <= 1)
        return 0;
    const std::array<double, 3> panels = travelling_panels(plan, choice);
    double words = 0;
    for (const tensor_id operand : all_but_c)
        if (panels[operand] > 0)
            words += panels[operand] / choice.team_size(operand) *
                     static_cast<double>(pieces_from_other_nodes(plan, choice, operand));
    constexpr double most = 1e18;
    return static_cast<index_t>(std::min(most, words / choice.ranks_per_node));
}

std::vector<grid_position> parts_for_nodes(const plan_state &plan, const layout_choice &choice) {
    const int ranks = choice.ranks_per_node;
    if (ranks <= 1 || choice.grid.size() % ranks != 0)
        return {};
    const std::array<double, 3> panels = travelling_panels(plan, choice);
    const auto words_of = [&](const grid_position &part) {
        double words = 0;
        for (const tensor_id operand : all_but_c) {
            const int team = choice.team_size(operand);
            const int members = part[layout_choice::team_group(operand)];
            words += panels[operand] / team * (team - members) *
                     (operand == D ? ranks : ranks / members);
        }
        return words;
    };
    std::vector<std::pair<double, grid_position>> found;
    const auto &[pb, pm, pn, pk] = choice.grid;
    const auto divides = [](int one, int number) { return number % one == 0; };
    for (int b = 1; b <= std::min(pb, ranks); ++b)
        for (int m = 1; divides(b, pb) && m <= std::min(pm, ranks / b); ++m)
            for (int n = 1; divides(m, pm) && n <= std::min(pn, ranks / b / m); ++n) {
                const int k = ranks / (b * m * n);
                const grid_position part{b, m, n, k};
                if (b * m * n * k == ranks && divides(n, pn) && divides(k, pk))
                    found.emplace_back(words_of(part), part);
            }
    std::sort(found.begin(), found.end());
    std::vector<grid_position> parts;
    for (const auto &[words, part] : found)
        parts.push_back(part);
    return parts;
}

} // namespace tenfold::dist_impl
