#include "distributed/plan/redistributions.hpp"

#include <numeric>

#include "base/checked.hpp"
#include "base/cut.hpp"

namespace tenfold::dist_impl {
namespace {

/// Entries of a table at most; with more pieces all is found anew, for ranks that are few then.
constexpr std::size_t most_entries = 4096;
/// Layouts that are known of all operands together: half a kilobyte each.
constexpr std::size_t most_layouts = 8192;

/// Returns how many of `parts` balanced parts of a mode have positions in [begin, end).
index_t parts_met(index_t extent, index_t parts, index_t begin, index_t end) noexcept {
    if (parts == 1)
        return 1;
    __extension__ using wide = __int128;
    const auto part_of = [&](index_t position) {
        return static_cast<index_t>((wide{position + 1} * parts - 1) / extent);
    };
    return part_of(end - 1) - part_of(begin) + 1;
}

/// A hash of few small numbers: hasher takes the time that is saved.
class quick_hash {
public:
    void add(int number) noexcept {
        state_ = (state_ ^ static_cast<std::uint64_t>(static_cast<std::uint32_t>(number))) *
                 0x9E3779B97F4A7C15ULL;
        state_ ^= state_ >> 29U;
    }
    std::uint64_t value() const noexcept { return state_; }

private:
    std::uint64_t state_ = 14695981039346656037ULL;
};

} // namespace

given_operand::given_operand(const labelled_problem &problem, tensor_id which,
                             const distribution &given)
    : which_(which) {
    const std::vector<int> panel = problem.panel_labels(which);
    is_scalar_ = panel.empty();
    const operand_labels &labels = problem.operands[which];
    for (const int number : labels.distinct) {
        const auto label = static_cast<std::size_t>(number);
        const bool in_panel = std::find(panel.begin(), panel.end(), number) != panel.end();
        const auto group = // isolated labels have none
            in_panel ? static_cast<std::size_t>(problem.labels[label].group) : 0;
        given_label made{label, group, problem.labels[label].extent, in_panel, {}, {}, {}};
        for (std::size_t mode = 0; mode < labels.modes.size(); ++mode)
            if (labels.modes[mode] == number)
                made.parts.push_back(given.grid()[mode]);
        labels_.push_back(std::move(made));
    }
    for_some_ranks(given.ranks(), [&](int rank) {
        const slice region = region_of(given, labels, rank);
        given_block block{rank, !region.none, region.size(), {}};
        for (std::size_t k = 0; block.exists && k < labels_.size(); ++k) {
            std::vector<range> &known = labels_[k].ranges;
            const range its{region.offsets[k], region.offsets[k] + region.extents[k]};
            const auto found = std::find(known.begin(), known.end(), its);
            block.ranges.push_back(static_cast<std::size_t>(found - known.begin()));
            if (found == known.end())
                known.push_back(its);
        }
        blocks_.push_back(std::move(block));
    });
}

auto given_operand::given_label::cut_into(index_t pieces) -> const cut_label & {
    for (const cut_label &known : cuts)
        if (known.pieces() == pieces)
            return known;
    return cuts.emplace_back(*this, pieces);
}

given_operand::cut_label::cut_label(const given_label &of, index_t pieces)
    : of_(&of), pieces_(pieces) {
    const auto count = static_cast<std::size_t>(pieces);
    if (count * (of.ranges.size() + 1) > most_entries)
        return;
    std::vector<index_t> lengths;
    for (index_t piece = 0; piece < pieces; ++piece)
        lengths.push_back(find_length(piece));
    for (std::size_t range = 0; range < of.ranges.size(); ++range)
        for (index_t piece = 0; piece < pieces; ++piece)
            shared_.push_back(find_shared(range, piece));
    lengths_ = std::move(lengths);
}

index_t given_operand::cut_label::find_length(index_t piece) const noexcept {
    return base::cut(of_->extent, piece + 1, pieces_) - base::cut(of_->extent, piece, pieces_);
}

index_t given_operand::cut_label::find_shared(std::size_t range, index_t piece) const noexcept {
    const auto &[begin, end] = of_->ranges[range];
    return std::max<index_t>(0, std::min(end, base::cut(of_->extent, piece + 1, pieces_)) -
                                    std::max(begin, base::cut(of_->extent, piece, pieces_)));
}

index_t given_operand::cut_label::blocks_met(index_t piece) const noexcept {
    const index_t begin = base::cut(of_->extent, piece, pieces_);
    const index_t end = base::cut(of_->extent, piece + 1, pieces_);
    index_t cells = 1;
    for (const int parts : of_->parts)
        cells *= parts_met(of_->extent, parts, begin, end);
    return cells;
}

index_t given_operand::cut_label::pieces_met(std::size_t range) const noexcept {
    return parts_met(of_->extent, pieces_, of_->ranges[range].begin, of_->ranges[range].end);
}

bool given_operand::look_at(const layout_choice &candidate,
                            const std::vector<coordinate_digit> &digits) {
    candidate_ = &candidate;
    digits_ = &digits;
    is_cut_ = false;
    quick_hash hash;
    for (const int factor : factors_of(candidate.grid))
        hash.add(factor);
    for (const int group : candidate.order)
        hash.add(group);
    if (candidate.runs_by_nodes())
        for (const int ranks : candidate.node_part)
            hash.add(ranks);
    hash.add(candidate.copied[which_] ? 1 : 0);
    std::size_t mode = 0; // panel labels are the distinct labels without the isolated ones
    for (const given_label &one : labels_)
        if (one.in_panel) {
            hash.add(digits[one.number].radix);
            hash.add(digits[one.number].step);
            hash.add(candidate.further[which_][mode++]);
        }
    hash_ = hash.value();
    const auto known = known_.find(hash_);
    received_ = known == known_.end() ? nullptr : &known->second;
    return received_ != nullptr;
}

void given_operand::cut() {
    if (is_cut_)
        return;
    is_cut_ = true;
    present_.clear();
    std::size_t mode = 0;
    int step = 1;
    for (given_label &one : labels_) {
        present_label made{nullptr, one.group, {}, {}};
        if (one.in_panel) {
            made.part = (*digits_)[one.number];
            made.further = {candidate_->further[which_][mode++], step};
            step *= made.further.radix;
        }
        made.cut = &one.cut_into(index_t{made.part.radix} * made.further.radix);
        present_.push_back(made);
    }
}

auto given_operand::overlap_at(const given_block &block,
                               const grid_position &position) const noexcept -> overlap {
    const int place = candidate_->place_at(which_, position);
    // A scalar cannot be cut, so the first rank of a team has it.
    if (block.rank >= candidate_->grid.size() || (is_scalar_ && place != 0))
        return {};
    overlap found{1, block.exists ? 1 : 0};
    for (std::size_t k = 0; k < present_.size(); ++k) {
        const index_t piece = present_[k].piece_at(position, place);
        // Saturates only if another mode is empty.
        found.piece = base::saturated_multiply(found.piece, present_[k].cut->length(piece));
        if (found.shared > 0)
            found.shared = base::saturated_multiply(
                found.shared, present_[k].cut->shared(block.ranges[k], piece));
    }
    return found;
}

index_t given_operand::received(std::size_t i, const grid_position &position) {
    if (received_ != nullptr)
        return (*received_)[i];
    cut();
    const overlap here = overlap_at(blocks_[i], position);
    return (which_ == D ? blocks_[i].size : here.piece) - here.shared;
}

const std::vector<index_t> &
given_operand::received_by_all(const std::vector<grid_position> &positions) {
    if (received_ == nullptr) {
        cut();
        std::vector<index_t> made(blocks_.size());
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            const overlap here = overlap_at(blocks_[i], positions[i]);
            made[i] = (which_ == D ? blocks_[i].size : here.piece) - here.shared;
        }
        received_ = &known_.emplace(hash_, std::move(made)).first->second;
    }
    return *received_;
}

index_t given_operand::senders(std::size_t i, const grid_position &position) {
    cut();
    const given_block &block = blocks_[i];
    const overlap here = overlap_at(block, position);
    if ((which_ == D ? block.size : here.piece) == 0)
        return 0;
    const int place = candidate_->place_at(which_, position);
    index_t cells = 1;
    for (std::size_t k = 0; k < present_.size(); ++k)
        cells *= which_ == D ? present_[k].cut->pieces_met(block.ranges[k])
                             : present_[k].cut->blocks_met(present_[k].piece_at(position, place));
    return cells - (here.shared > 0 ? 1 : 0);
}

std::array<given_operand *, 3> given_operands::of(const labelled_problem &problem,
                                                  const std::array<distribution, 3> &given) {
    constexpr std::size_t most_operands = 512;
    if (known_.size() > most_operands)
        known_.clear();
    std::array<given_operand *, 3> found{};
    for (const tensor_id which : all_but_c) {
        if (which == B && problem.unary)
            continue;
        const std::pair key(static_cast<int>(which), given[which].hash());
        auto known = known_.find(key);
        if (known == known_.end())
            known = known_.emplace(key, given_operand(problem, which, given[which])).first;
        found[which] = &known->second;
    }
    return found;
}

void given_operands::forget_if_many() {
    const std::size_t all = std::accumulate(
        known_.begin(), known_.end(), std::size_t{0},
        [](std::size_t sum, const auto &one) { return sum + one.second.layouts_known(); });
    if (all > most_layouts)
        for (auto &[key, one] : known_)
            one.forget_layouts();
}

redistributions::redistributions(const plan_state &plan, given_operands &kept)
    : plan_(plan), operands_(kept.of(*plan.problem, plan.given)) {
    kept.forget_if_many();
    for_some_ranks(plan.ranks, [&](int rank) { ranks_.push_back(rank); });
    positions_.resize(ranks_.size());
}

redistribution_words redistributions::of(const layout_choice &candidate,
                                         const redistribution_words &enough) const {
    find_digits(*plan_.problem, candidate, digits_);
    bool all_known = true;
    for (given_operand *const one : operands_)
        all_known = (one == nullptr || one->look_at(candidate, digits_)) && all_known;
    redistribution_words words;
    std::array<const index_t *, 3> received{};
    const auto count = [&](std::size_t i, index_t its) {
        if (its > words.most) {
            words.most = its;
            busiest_ = i;
        }
        words.sum += its;
        return words < enough;
    };
    const std::size_t first = busiest_;
    index_t of_first = 0;
    const grid_position there = candidate.position_of(ranks_[first]);
    for (const tensor_id which : all_but_c)
        if (operands_[which] != nullptr)
            of_first += operands_[which]->received(first, there) * plan_.words.moved[which];
    if (!count(first, of_first))
        return words;
    if (!all_known)
        for (std::size_t i = 0; i < ranks_.size(); ++i)
            positions_[i] = candidate.position_of(ranks_[i]);
    for (const tensor_id which : all_but_c)
        if (operands_[which] != nullptr)
            received[which] = operands_[which]->received_by_all(positions_).data();
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        if (i == first)
            continue;
        index_t its = 0;
        for (const tensor_id which : all_but_c)
            if (received[which] != nullptr)
                its += received[which][i] * plan_.words.moved[which];
        if (!count(i, its))
            break;
    }
    return words;
}

index_t redistributions::messages(const layout_choice &candidate) const {
    find_digits(*plan_.problem, candidate, digits_);
    for (given_operand *const one : operands_)
        if (one != nullptr)
            one->look_at(candidate, digits_);
    index_t most = 0;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        const grid_position position = candidate.position_of(ranks_[i]);
        index_t messages = 0;
        for (given_operand *const one : operands_)
            if (one != nullptr)
                messages += one->senders(i, position);
        most = std::max(most, messages);
    }
    return most;
}

} // namespace tenfold::dist_impl
