#include "distributed/plan/layouts.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/footprint.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {
namespace {

/// Returns true if the digit of `one` runs faster than that of `other`, a label of the same group.
bool runs_faster(const labelled_problem &problem, const layout_choice &choice, std::size_t one,
                 std::size_t other) noexcept {
    if (one == other || problem.labels[one].group != problem.labels[other].group)
        return false;
    const auto place = [&](std::size_t label) {
        return std::pair(choice.places.empty() ? 0 : choice.places[label], label);
    };
    return place(one) < place(other);
}

} // namespace

grid_position factors_of(const processor_grid &grid) noexcept {
    return {grid.batch, grid.m, grid.n, grid.k};
}

extents_t layout_choice::largest_panel(const labelled_problem &problem, tensor_id operand) const {
    extents_t panel;
    for (const int label : problem.panel_labels(operand))
        panel.push_back(base::divide_up(problem.labels[static_cast<std::size_t>(label)].extent,
                                        parts[static_cast<std::size_t>(label)]));
    return panel;
}

const split_table &layout_choice::ways_to_cut_further(const labelled_problem &problem,
                                                      tensor_id operand, bool evenly,
                                                      split_tables &tables) const {
    const int team = team_size(operand);
    const extents_t panel = largest_panel(problem, operand);
    const split_table &any = tables.of(panel, team);
    if (!evenly || panel.empty())
        return any;
    extents_t others = panel; // modes that remain to be cut
    index_t whole = 1;
    if (operand == D) {
        const auto longest = std::max_element(others.rbegin(), others.rend());
        whole = std::exchange(*longest, 1);
    } else {
        const std::vector<int> labels = problem.panel_labels(operand);
        for (std::size_t mode = 0; mode < labels.size(); ++mode)
            if (problem.labels[static_cast<std::size_t>(labels[mode])].group == label_class::k)
                whole = base::saturated_multiply(whole, std::exchange(others[mode], 1));
    }
    const split_table &even = tables.of(others, team);
    return base::saturated_multiply(even.largest(), whole) <= any.largest() ? even : any;
}

void layout_choice::cut_further(const labelled_problem &problem, bool evenly,
                                split_tables &tables) {
    for (const tensor_id operand : all_but_c)
        further[operand] = problem.panel_labels(operand).empty()
                               ? std::vector<int>()
                               : ways_to_cut_further(problem, operand, evenly, tables).factors();
}

int layout_choice::unevenness(const labelled_problem &problem, tensor_id operand) const {
    const std::vector<int> labels = problem.panel_labels(operand);
    if (labels.empty())
        return 1;
    if (operand == D)
        return *std::min_element(further[operand].begin(), further[operand].end());
    int parts_of_k = 1;
    for (std::size_t mode = 0; mode < labels.size(); ++mode)
        if (problem.labels[static_cast<std::size_t>(labels[mode])].group == label_class::k)
            parts_of_k *= further[operand][mode];
    return parts_of_k;
}

void find_digits(const labelled_problem &problem, const layout_choice &choice,
                 std::vector<coordinate_digit> &digits) {
    digits.assign(problem.labels.size(), {});
    for (std::size_t label = 0; label < digits.size(); ++label) {
        digits[label].radix = choice.parts[label];
        for (std::size_t other = 0; digits[label].radix > 1 && other < digits.size(); ++other)
            if (runs_faster(problem, choice, other, label))
                digits[label].step *= choice.parts[other];
    }
}

layouts::layouts(std::shared_ptr<const labelled_problem> problem, layout_choice choice)
    : problem_(std::move(problem)), choice_(std::move(choice)),
      step_digits_(problem_->labels.size()) {
    find_digits(*problem_, choice_, parts_);
    for (std::size_t label = 0; label < parts_.size(); ++label) {
        const auto group = static_cast<std::size_t>(problem_->labels[label].group);
        if (!choice_.steps.empty())
            step_digits_[label].radix = choice_.steps[label];
        step_counts_[group] *= step_digits_[label].radix;
        for (std::size_t other = 0; !choice_.steps.empty() && other < parts_.size(); ++other)
            if (runs_faster(*problem_, choice_, other, label))
                step_digits_[label].step *= choice_.steps[other];
    }
    for (const tensor_id operand : all_but_c) {
        panel_labels_[operand] = problem_->panel_labels(operand);
        int step = 1;
        for (const int factor : choice_.further[operand]) {
            further_[operand].push_back({factor, step});
            step *= factor;
        }
    }
}

int layouts::place_in_team(tensor_id operand, int rank) const noexcept {
    return place_at(operand, position_of(rank));
}

std::vector<int> layouts::team_of(tensor_id operand, int rank) const {
    grid_position position = position_of(rank);
    std::vector<int> team;
    for (int place = 0; place < team_size(operand); ++place) {
        position[layout_choice::team_group(operand)] = place;
        team.push_back(rank_at(position));
    }
    return team;
}

layouts::range layouts::range_of(tensor_id operand, std::size_t mode, const grid_position &position,
                                 int place) const noexcept {
    const auto number = static_cast<std::size_t>(panel_labels_[operand][mode]);
    const problem_label &label = problem_->labels[number];
    index_t parts = parts_[number].radix;
    index_t index = parts_[number].of(position[static_cast<std::size_t>(label.group)]);
    if (place != whole_panel) {
        const digit &further = further_[operand][mode];
        parts *= further.radix;
        index = index * further.radix + further.of(place);
    }
    if (parts == 1) // most modes of most layouts: divisions are most of what this takes
        return {0, label.extent};
    return {cut(label.extent, index, parts), cut(label.extent, index + 1, parts)};
}

slice layouts::box(tensor_id operand, int rank, bool piece) const {
    const std::vector<int> &labels = panel_labels_[operand];
    slice result{extents_t(labels.size(), 0), extents_t(labels.size(), 0), !takes_part(rank)};
    if (result.none)
        return result;
    const grid_position position = position_of(rank);
    const int place = place_at(operand, position);
    // A scalar cannot be cut, so the first rank of the team holds it.
    result.none = piece && labels.empty() && place != 0;
    for (std::size_t k = 0; k < labels.size(); ++k) {
        const range one = range_of(operand, k, position, piece ? place : whole_panel);
        result.offsets[k] = one.begin;
        result.extents[k] = one.end - one.begin;
    }
    return result;
}

/// The ranks of A's team differ only in their place in the team, so their turns differ by the
/// distance of their pieces. The same holds for B's team.
index_t layouts::turn_of(std::size_t label, int rank) const noexcept {
    if (!choice_.in_turns || problem_->labels[label].group != label_class::k)
        return 0;
    const index_t steps = step_digits_[label].radix;
    index_t turn = 0;
    for (const tensor_id operand : {A, B})
        for (std::size_t mode = 0; mode < further_[operand].size(); ++mode) {
            const digit &pieces = further_[operand][mode];
            if (static_cast<std::size_t>(panel_labels_[operand][mode]) == label &&
                steps % pieces.radix == 0)
                turn += pieces.of(place_in_team(operand, rank)) * (steps / pieces.radix);
        }
    return turn;
}

slice layouts::panel_of(tensor_id operand, int rank, const step_index &step) const {
    slice result = panel_of(operand, rank);
    if (result.none)
        return result;
    const grid_position position = position_of(rank);
    for (std::size_t k = 0; k < result.extents.size(); ++k) {
        const auto label = static_cast<std::size_t>(panel_labels_[operand][k]);
        const step_digit &cut_into = step_digits_[label];
        if (cut_into.radix == 1)
            continue;
        const auto group = static_cast<std::size_t>(problem_->labels[label].group);
        const index_t extent = problem_->labels[label].extent;
        const index_t parts = parts_[label].radix * cut_into.radix;
        const index_t turn = step[group] / cut_into.step + turn_of(label, rank);
        const index_t index =
            parts_[label].of(position[group]) * cut_into.radix + turn % cut_into.radix;
        result.offsets[k] = cut(extent, index, parts);
        result.extents[k] = cut(extent, index + 1, parts) - result.offsets[k];
    }
    return result;
}

extents_t layouts::largest_step(tensor_id operand, int rank) const {
    extents_t extents = panel_of(operand, rank).extents;
    for (std::size_t k = 0; k < extents.size(); ++k) {
        const auto label = static_cast<std::size_t>(panel_labels_[operand][k]);
        extents[k] =
            std::min(extents[k], base::divide_up(problem_->labels[label].extent,
                                                 parts_[label].radix * step_digits_[label].radix));
    }
    return extents;
}

bool layouts::steps_cut_pieces(tensor_id operand) const noexcept {
    for (std::size_t mode = 0; mode < panel_labels_[operand].size(); ++mode)
        if (is_stepped(operand, mode) && is_cut_further(operand, mode))
            return true;
    return false;
}

bool layouts::sends_in_place(tensor_id operand) const noexcept {
    for (std::size_t mode = 0; mode + 1 < panel_labels_[operand].size(); ++mode)
        if (is_stepped(operand, mode))
            return false;
    return true;
}

bool layouts::arrives_in_place(tensor_id operand) const noexcept {
    for (std::size_t mode = 0; mode + 1 < panel_labels_[operand].size(); ++mode)
        if (is_cut_further(operand, mode))
            return false;
    return true;
}

index_t layouts::loads(tensor_id operand) const noexcept {
    const auto &[batch, m, n, k] = step_counts_;
    if (operand == A)
        return m * k == 1 ? 1 : n;
    return k == 1 ? 1 : m;
}

slice layouts::whole_piece_of(tensor_id operand, int rank) const {
    const std::vector<int> &distinct = problem_->operands[operand].distinct;
    const slice piece = piece_of(operand, rank);
    if (distinct.size() == piece.extents.size())
        return piece;
    slice whole{{}, {}, piece.none};
    std::size_t k = 0; // panel labels are the distinct labels without the isolated ones
    for (const int label : distinct) {
        const bool cut = k < piece.extents.size() && panel_labels_[operand][k] == label;
        whole.offsets.push_back(cut ? piece.offsets[k] : 0);
        whole.extents.push_back(cut ? piece.extents[k]
                                : whole.none
                                    ? 0
                                    : problem_->labels[static_cast<std::size_t>(label)].extent);
        k += cut ? 1 : 0;
    }
    return whole;
}

std::vector<int> layouts::piece_grid(tensor_id operand) const {
    const std::vector<int> &labels = panel_labels_[operand];
    std::vector<int> grid;
    for (const int label : problem_->operands[operand].distinct) {
        const auto found = std::find(labels.begin(), labels.end(), label);
        const auto mode = static_cast<std::size_t>(found - labels.begin());
        grid.push_back(found == labels.end() ? 1
                                             : parts_[static_cast<std::size_t>(label)].radix *
                                                   further_[operand][mode].radix);
    }
    return grid;
}

distribution layouts::pieces(tensor_id operand, int ranks) const {
    const std::vector<int> &distinct = problem_->operands[operand].distinct;
    const std::vector<int> &labels = panel_labels_[operand];
    std::vector<int> grid = piece_grid(operand);
    std::vector<std::size_t> panel_mode; // of each distinct label; labels.size() for an isolated
                                         // one
    index_t cells = 1;
    for (std::size_t mode = 0; mode < distinct.size(); ++mode) {
        const auto found = std::find(labels.begin(), labels.end(), distinct[mode]);
        panel_mode.push_back(static_cast<std::size_t>(found - labels.begin()));
        cells *= grid[mode];
    }

    const int copies = choice_.copied[operand] ? choice_.sharers(operand) : 1;
    std::vector<int> rank_of_cell(static_cast<std::size_t>(cells * copies));
    for (int rank = 0; rank < choice_.grid.size(); ++rank) {
        const grid_position position = position_of(rank);
        const int place = place_in_team(operand, rank);
        if (labels.empty() && place != 0)
            continue;
        int cell = 0;
        for (std::size_t mode = distinct.size(); mode-- > 0;) {
            int index = 0;
            if (panel_mode[mode] < labels.size()) {
                const auto label = static_cast<std::size_t>(distinct[mode]);
                const auto group = static_cast<std::size_t>(problem_->labels[label].group);
                const digit &further = further_[operand][panel_mode[mode]];
                index = parts_[label].of(position[group]) * further.radix + further.of(place);
            }
            cell = cell * grid[mode] + index;
        }
        const index_t copy = copies == 1 ? 0 : position[layout_choice::team_group(operand)];
        rank_of_cell[static_cast<std::size_t>(copy * cells + cell)] = rank;
    }
    return {problem_->extents_of(distinct), std::move(grid), ranks, std::move(rank_of_cell),
            copies};
}

std::size_t layouts::allocated() const noexcept {
    using base::allocated_by;
    std::size_t sum = allocated_by(choice_.parts) + allocated_by(choice_.places) +
                      allocated_by(choice_.steps) + allocated_by(parts_) +
                      allocated_by(step_digits_);
    for (const tensor_id operand : all_but_c)
        sum += allocated_by(choice_.further[operand]) + allocated_by(panel_labels_[operand]) +
               allocated_by(further_[operand]);
    return sum;
}

index_t layouts::size_at(tensor_id operand, const grid_position &position,
                         int place) const noexcept {
    const std::vector<int> &labels = panel_labels_[operand];
    if (labels.empty() && place > 0) // as in box()
        return 0;
    index_t size = 1;
    for (std::size_t mode = 0; mode < labels.size(); ++mode) {
        const range one = range_of(operand, mode, position, place);
        size = base::saturated_multiply(size, one.end - one.begin); // if another one is empty
    }
    return size;
}

index_t layouts::words_received(int rank, const std::array<index_t, 3> &words) const {
    if (!takes_part(rank))
        return 0;
    const grid_position position = position_of(rank);
    const auto piece = [&](tensor_id operand) {
        return size_at(operand, position, place_at(operand, position));
    };
    index_t received = 0;
    for (const tensor_id operand : {A, B})
        if (operand == A || !problem_->unary)
            received += (size_at(operand, position, whole_panel) - piece(operand)) *
                        loads(operand) * words[operand];
    return received + piece(D) * (choice_.grid.k - 1) * words[D];
}

double layouts::multiply_adds(int rank) const {
    // Every label of the contraction proper is in A's panel or in D's.
    double work = static_cast<double>(panel_of(A, rank).size());
    const slice d = panel_of(D, rank);
    for (std::size_t k = 0; k < d.extents.size(); ++k)
        if (problem_->labels[static_cast<std::size_t>(panel_labels_[D][k])].group == label_class::n)
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
