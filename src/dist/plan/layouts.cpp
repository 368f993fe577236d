#include "dist_plan/layouts.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "dist_plan/slice.hpp"
#include "dist_plan/split_table.hpp"

namespace tenfold::dist_impl {
namespace {

constexpr operand_id all_operands[] = {operand_a, operand_b, operand_d};

int coordinate(const grid_position &position, label_class group) noexcept {
    switch (group) {
    case label_class::batch:
        return position.batch;
    case label_class::m:
        return position.m;
    case label_class::n:
        return position.n;
    case label_class::k:
        return position.k;
    case label_class::isolated_a:
    case label_class::isolated_b:
        break;
    }
    return 0;
}

/// The coordinate in which the ranks that share a panel differ.
int &team_coordinate(grid_position &position, operand_id operand) noexcept {
    return operand == operand_a ? position.n : operand == operand_b ? position.m : position.k;
}

} // namespace

layouts::layouts(std::shared_ptr<const labelled_problem> problem, processor_grid grid,
                 const std::vector<int> &parts, int ranks)
    : problem_(std::move(problem)), grid_(grid), parts_(problem_->labels.size()) {
    for (std::size_t label = 0; label < parts_.size(); ++label) {
        parts_[label].radix = parts[label];
        for (std::size_t before = 0; before < label; ++before)
            if (problem_->labels[before].group == problem_->labels[label].group)
                parts_[label].step *= parts[before];
    }
    for (const operand_id operand : all_operands) {
        panel_labels_[operand] = problem_->panel_labels(operand);
        extents_t largest;
        for (const int label : panel_labels_[operand])
            largest.push_back(
                base::divide_up(problem_->labels[static_cast<std::size_t>(label)].extent,
                                parts[static_cast<std::size_t>(label)]));
        further_[operand].resize(largest.size());
        if (!largest.empty()) {
            const std::vector<int> factors =
                split_table(largest, team_size(operand)).factors(team_size(operand));
            int step = 1;
            for (std::size_t k = 0; k < factors.size(); ++k) {
                further_[operand][k] = {factors[k], step};
                step *= factors[k];
            }
        }
        pieces_[operand] = make_pieces(operand, ranks);
    }
}

grid_position layouts::position_of(int rank) const noexcept {
    grid_position position{};
    position.k = rank % grid_.k;
    rank /= grid_.k;
    position.n = rank % grid_.n;
    rank /= grid_.n;
    position.m = rank % grid_.m;
    position.batch = rank / grid_.m;
    return position;
}

int layouts::rank_at(grid_position position) const noexcept {
    return position.k + grid_.k * (position.n + grid_.n * (position.m + grid_.m * position.batch));
}

int layouts::team_size(operand_id operand) const noexcept {
    return operand == operand_a ? grid_.n : operand == operand_b ? grid_.m : grid_.k;
}

int layouts::place_in_team(operand_id operand, int rank) const noexcept {
    grid_position position = position_of(rank);
    return team_coordinate(position, operand);
}

std::vector<int> layouts::team_of(operand_id operand, int rank) const {
    grid_position position = position_of(rank);
    std::vector<int> team;
    for (int place = 0; place < team_size(operand); ++place) {
        team_coordinate(position, operand) = place;
        team.push_back(rank_at(position));
    }
    return team;
}

slice layouts::box(operand_id operand, int rank, bool piece) const {
    const std::vector<int> &labels = panel_labels_[operand];
    slice result{extents_t(labels.size(), 0), extents_t(labels.size(), 0), !takes_part(rank)};
    if (result.none)
        return result;
    const grid_position position = position_of(rank);
    const int place = place_in_team(operand, rank);
    // A scalar cannot be cut: the first of the team has it.
    result.none = piece && labels.empty() && place != 0;
    for (std::size_t k = 0; k < labels.size(); ++k) {
        const plan_label &label = problem_->labels[static_cast<std::size_t>(labels[k])];
        const digit &part = parts_[static_cast<std::size_t>(labels[k])];
        index_t parts = part.radix;
        index_t index = part.of(coordinate(position, label.group));
        if (piece) {
            parts *= further_[operand][k].radix;
            index = index * further_[operand][k].radix + further_[operand][k].of(place);
        }
        result.offsets[k] = cut(label.extent, index, parts);
        result.extents[k] = cut(label.extent, index + 1, parts) - result.offsets[k];
    }
    return result;
}

distribution layouts::make_pieces(operand_id operand, int ranks) const {
    const std::vector<int> &distinct = problem_->operands[operand].distinct;
    const std::vector<int> &labels = panel_labels_[operand];
    std::vector<int> grid;
    std::vector<std::size_t> panel_mode; // of each distinct label; labels.size() where isolated
    index_t cells = 1;
    for (const int label : distinct) {
        const auto found = std::find(labels.begin(), labels.end(), label);
        panel_mode.push_back(static_cast<std::size_t>(found - labels.begin()));
        grid.push_back(found == labels.end() ? 1
                                             : parts_[static_cast<std::size_t>(label)].radix *
                                                   further_[operand][panel_mode.back()].radix);
        cells *= grid.back();
    }

    std::vector<int> rank_of_cell(static_cast<std::size_t>(cells));
    for (int rank = 0; rank < grid_.size(); ++rank) {
        const grid_position position = position_of(rank);
        const int place = place_in_team(operand, rank);
        if (labels.empty() && place != 0)
            continue;
        int cell = 0;
        for (std::size_t mode = distinct.size(); mode-- > 0;) {
            int index = 0;
            if (panel_mode[mode] < labels.size()) {
                const auto label = static_cast<std::size_t>(distinct[mode]);
                const digit &further = further_[operand][panel_mode[mode]];
                index = parts_[label].of(coordinate(position, problem_->labels[label].group)) *
                            further.radix +
                        further.of(place);
            }
            cell = cell * grid[mode] + index;
        }
        rank_of_cell[static_cast<std::size_t>(cell)] = rank;
    }
    return {problem_->extents_of(distinct), std::move(grid), ranks, std::move(rank_of_cell)};
}

index_t layouts::words_received(int rank) const {
    if (!takes_part(rank))
        return 0;
    index_t words = 0;
    for (const operand_id operand : {operand_a, operand_b})
        if (operand == operand_a || !problem_->unary)
            words += panel_of(operand, rank).size() - piece_of(operand, rank).size();
    return words + piece_of(operand_d, rank).size() * (grid_.k - 1);
}

double layouts::multiply_adds(int rank) const {
    // Every label of the contraction proper is in A's panel or in D's.
    double work = static_cast<double>(panel_of(operand_a, rank).size());
    const slice d = panel_of(operand_d, rank);
    for (std::size_t k = 0; k < d.extents.size(); ++k)
        if (problem_->labels[static_cast<std::size_t>(panel_labels_[operand_d][k])].group ==
            label_class::n)
            work *= static_cast<double>(d.extents[k]);
    return work;
}

slice region_of(const distribution &spread, const operand_labels &labels, int rank) {
    const slice block = spread.block_of(rank);
    slice region{extents_t(labels.distinct.size()), extents_t(labels.distinct.size()), block.none};
    for (std::size_t k = 0; k < labels.distinct.size(); ++k) {
        index_t begin = 0;
        index_t end = INT64_MAX;
        for (std::size_t mode = 0; mode < labels.modes.size(); ++mode)
            if (labels.modes[mode] == labels.distinct[k]) {
                begin = std::max(begin, block.offsets[mode]);
                end = std::min(end, block.offsets[mode] + block.extents[mode]);
            }
        region.offsets[k] = begin;
        region.extents[k] = std::max<index_t>(0, end - begin);
    }
    return region;
}

} // namespace tenfold::dist_impl
