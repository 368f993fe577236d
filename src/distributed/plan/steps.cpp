#include "distributed/plan/steps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/checked.hpp"
#include "distributed/plan/buffers.hpp"
#include "distributed/plan/costs.hpp"

namespace tenfold::dist_impl {
namespace {

/// Products with a shorter k than this are slower per multiply-add.
constexpr index_t least_k_of_step = 256;
/// For shorter messages latency costs more than bandwidth.
constexpr index_t least_bytes = index_t{128} << 10;
constexpr index_t most_steps = 8;
/// Take enough steps that waiting for the first step's panels takes at most 1/100 of the time of
/// multiplying, and at least two. More steps only shorten products: 1024 along k instead of 512
/// take some hundredths less time (docs/adr/0017).
constexpr double most_exposed = 0.01;
/// Bytes of operands per byte gathered. If most operands are already here, steps cost more through
/// partial A, B and D than waiting does (25 to 35 ms for abc-adec-ebd of 72 on two ranks).
constexpr index_t most_touched = 8;
constexpr index_t most_sum_parts = 4;
/// Steps along k for reproducible results: all but one add a part of D to the memory needed.
constexpr index_t most_reproducible_steps = 2;

/// Returns the extent of the label in the largest block.
index_t block_extent(const plan_state &plan, const layouts &where, int label) {
    const auto l = static_cast<std::size_t>(label);
    return base::divide_up(plan.problem->labels[l].extent, where.choice().parts[l]);
}

index_t block_size(const plan_state &plan, const layouts &where, label_class group) {
    index_t size = 1;
    for (const int label : plan.problem->group(group))
        size = base::saturated_multiply(size, block_extent(plan, where, label));
    return size;
}

/// Returns a number near `parts` that is a multiple of the pieces into which teams cut the label,
/// so that their ranks can take the steps in turns; 0 if there is none.
index_t parts_in_turns(const plan_state &plan, const layouts &where, int label, index_t parts) {
    index_t pieces = 1;
    for (const tensor_id operand : {A, B}) {
        const std::vector<int> &modes = where.panel_labels(operand);
        const auto found = std::find(modes.begin(), modes.end(), label);
        if (found != modes.end())
            pieces =
                std::lcm(pieces, index_t{where.choice().further[operand][static_cast<std::size_t>(
                                     found - modes.begin())]});
    }
    const index_t whole = base::divide_up(parts, pieces) * pieces;
    const bool turns = !plan.reproducible() && pieces > 1 &&
                       whole <= std::min(2 * parts, block_extent(plan, where, label));
    return turns ? whole : 0;
}

/// Returns the labels of a group in the order in which they are cut: along k first those whose
/// steps ranks take in turns, so that no rank waits for the first step, then those that are not cut
/// into pieces.
std::vector<int> cutting_order(const plan_state &plan, const layouts &where, label_class group,
                               index_t parts) {
    std::vector<int> labels = plan.problem->group(group);
    const tensor_id first = group == label_class::k ? A : D;
    const auto place = [&](int label) {
        bool further = false;
        std::size_t depth = 0;
        for (const tensor_id operand : all_but_c) {
            const std::vector<int> &modes = where.panel_labels(operand);
            const auto found = std::find(modes.begin(), modes.end(), label);
            if (found == modes.end())
                continue;
            const auto mode = static_cast<std::size_t>(found - modes.begin());
            further =
                further || (where.team_size(operand) > 1 && where.is_cut_further(operand, mode));
            if (operand == first)
                depth = mode + 1;
        }
        const bool turns = group == label_class::k && parts_in_turns(plan, where, label, parts) > 0;
        return std::tuple(!turns, further, -static_cast<index_t>(depth));
    };
    std::stable_sort(labels.begin(), labels.end(),
                     [&](int a, int b) { return place(a) < place(b); });
    return labels;
}

/// Cuts into steps that are whole nodes of the tree of leaves.
void cut_into_nodes(const plan_state &plan, const layouts &where, index_t most,
                    std::vector<index_t> &steps) {
    const index_t parts = where.grid().k;
    index_t count = 1;
    while (plan.leaves.largest(parts * count) > most && plan.leaves.possible(2 * parts * count))
        count *= 2;
    const std::vector<int> whole = plan.leaves.factors(parts);
    const std::vector<int> cut = plan.leaves.factors(parts * count);
    for (std::size_t i = 0; i < cut.size(); ++i)
        steps[static_cast<std::size_t>(plan.leaves.labels()[i])] = cut[i] / whole[i];
}

void cut_group(const plan_state &plan, const layouts &where, label_class group, index_t most,
               std::vector<index_t> &steps) {
    if (group == label_class::k && plan.reproducible())
        return cut_into_nodes(plan, where, most, steps);
    index_t size = block_size(plan, where, group);
    if (size <= most) // for example 0
        return;
    for (const int label : cutting_order(plan, where, group, base::divide_up(size, most))) {
        if (size <= most)
            return;
        const index_t extent = block_extent(plan, where, label);
        const index_t others = size / extent;
        const index_t wanted = std::max<index_t>(1, most / others);
        const index_t in_turns =
            parts_in_turns(plan, where, label, base::divide_up(extent, wanted));
        const index_t parts =
            group == label_class::k && in_turns > 0 ? in_turns : base::divide_up(extent, wanted);
        steps[static_cast<std::size_t>(label)] = parts;
        size = others * base::divide_up(extent, parts);
    }
}

/// Returns the mode of D along which steps' panels are cut for the sum over pk: a mode that is not
/// cut into pieces, so that every rank receives from every part; the longest such mode, among equal
/// ones the slowest.
std::size_t sum_mode_of(const layouts &where, int rank) {
    const extents_t extents = where.largest_step(D, rank);
    std::size_t best = 0;
    const auto rating = [&](std::size_t mode) {
        return std::pair(!where.is_cut_further(D, mode), extents[mode]);
    };
    for (std::size_t mode = 1; mode < extents.size(); ++mode)
        if (rating(mode) >= rating(best))
            best = mode;
    return best;
}

constexpr step_size smallest_step{1, 1, 1, 1};
constexpr index_t smallest_step_parts = INT64_MAX; ///< of the sum over pk

/// Returns the least limit that leaves `peak` bytes beside the reserved workspace.
index_t limit_of(const plan_state &plan, index_t peak) {
    if (peak == INT64_MAX)
        return INT64_MAX;
    index_t limit = peak + (peak - 1) / 31; // of which a 32nd, rounded down, is reserved
    if (plan.options.workspace_limit)
        limit = std::min(limit, peak + plan.options.workspace_limit->value);
    while (limit - reserved_workspace(plan, limit) < peak)
        ++limit;
    return limit;
}

/// Halves steps until they fit the memory.
class step_search {
public:
    step_search(const plan_state &plan, const layouts &where)
        : plan_(plan), memory_(plan, where), now_(default_steps(plan, where)),
          sum_parts_(now_.choice().sum_parts) {
        const auto size = [&](label_class group) { return block_size(plan, where, group); };
        size_ = {size(label_class::batch), size(label_class::m), size(label_class::n),
                 size(label_class::k)};
        const step_index &counts = now_.step_counts();
        size_.batch = base::divide_up(size_.batch, counts[0]);
        size_.k = base::divide_up(size_.k, counts[3]);
    }

    std::optional<layouts> within(index_t limit) {
        if (memory_.of_some(smallest()) > limit)
            return std::nullopt;
        // The sample may fit when some other rank does not; then try again with a lower limit.
        for (index_t aim = limit; shrink(aim); aim -= std::max<index_t>(1, aim / 64))
            if (memory_.of_all(now_) <= limit)
                return now_;
        now_ = smallest();
        return memory_.of_all(now_) <= limit ? std::optional(now_) : std::nullopt;
    }

    /// Returns the least memory that suffices; INT64_MAX if it is not below `known`.
    index_t least(index_t known) const {
        const layouts steps = smallest();
        return memory_.of_some(steps) < known ? memory_.of_all(steps) : INT64_MAX;
    }

private:
    void set(const step_size &size, index_t sum_parts) {
        size_ = size;
        sum_parts_ = sum_parts;
        now_ = cut_into_steps(plan_, now_, size, sum_parts);
    }
    index_t with(const step_size &size) const {
        return memory_.of_some(cut_into_steps(plan_, now_, size, sum_parts_));
    }

    bool fits(index_t limit) const { return memory_.of_some(now_) <= limit; }

    layouts smallest() const {
        return cut_into_steps(plan_, now_, smallest_step, smallest_step_parts);
    }

    void halve(index_t step_size::*group, index_t least, index_t limit) {
        while (!fits(limit) && size_.*group > least) {
            step_size smaller = size_;
            smaller.*group = std::max(least, base::divide_up(size_.*group, 2));
            set(smaller, sum_parts_);
        }
    }
    void double_sum_parts(index_t most, index_t limit) {
        while (!fits(limit) && now_.grid().k > 1 && sum_parts_ < most)
            set(size_, 2 * sum_parts_);
    }

    /// Makes coarse steps finer first, and does last what makes ranks receive more.
    bool shrink(index_t limit) {
        halve(&step_size::batch, 1, limit);
        halve(&step_size::k, least_k_of_step, limit);
        double_sum_parts(16 * most_sum_parts, limit);
        halve(&step_size::k, 1, limit);
        double_sum_parts(largest_sum_parts(), limit);
        while (!fits(limit))
            if (!halve_m_or_n())
                return false;
        const index_t k = block_size(plan_, now_, label_class::k);
        while (size_.k < k) { // later cuts may have left room
            step_size longer = size_;
            longer.k = std::min(k, 2 * size_.k);
            if (with(longer) > limit)
                break;
            set(longer, sum_parts_);
        }
        return true;
    }

    /// Halves the one of the two that makes ranks receive less, if it saves memory.
    bool halve_m_or_n() {
        step_size fewer_m = size_;
        fewer_m.m = base::divide_up(size_.m, 2);
        step_size fewer_n = size_;
        fewer_n.n = base::divide_up(size_.n, 2);
        const index_t now = memory_.of_some(now_);
        const bool m_helps = size_.m > 1 && with(fewer_m) < now;
        const bool n_helps = size_.n > 1 && with(fewer_n) < now;
        if (!m_helps && !n_helps)
            return false;
        const bool take_m = m_helps && (!n_helps || volume(fewer_m) <= volume(fewer_n));
        set(take_m ? fewer_m : fewer_n, sum_parts_);
        return true;
    }

    index_t largest_sum_parts() const {
        const extents_t part = now_.largest_step(D, 0);
        return part.empty() ? 1 : part[now_.choice().sum_mode];
    }
    index_t volume(const step_size &size) const {
        const layouts steps = cut_into_steps(plan_, now_, size, sum_parts_);
        return steps.words_received(static_cast<int>(steps.grid().size()) - 1, plan_.words.product);
    }

    const plan_state &plan_;
    memory_of memory_;
    layouts now_;
    step_size size_;
    index_t sum_parts_;
};

} // namespace

layouts cut_into_steps(const plan_state &plan, const layouts &where, const step_size &most,
                       index_t sum_parts) {
    layout_choice choice = where.choice();
    choice.steps.assign(plan.problem->labels.size(), 1);
    choice.in_turns = !plan.reproducible(); // the tree of sums fixes the order of its steps
    const index_t sizes[] = {most.batch, most.m, most.n, most.k};
    for (const label_class group : einsum_impl::product_classes)
        cut_group(plan, where, group, sizes[static_cast<std::size_t>(group)], choice.steps);
    layouts steps(plan.problem, choice);
    if (where.grid().k == 1 || steps.panel_labels(D).empty())
        return steps;
    choice.sum_mode = sum_mode_of(steps, 0);
    choice.sum_parts = std::clamp<index_t>(
        sum_parts, 1, std::max<index_t>(1, steps.largest_step(D, 0)[choice.sum_mode]));
    return {plan.problem, std::move(choice)};
}

layouts default_steps(const plan_state &plan, const layouts &where) {
    const auto last = static_cast<int>(where.grid().size()) - 1;
    const auto bytes_of_element = [&](tensor_id operand) {
        return plan.words.product[operand] * plan.words.bytes;
    };
    const index_t summed =
        where.piece_of(D, last).size() * (where.grid().k - 1) * bytes_of_element(D);
    const index_t sum_parts = std::clamp<index_t>(summed / least_bytes, 1, most_sum_parts);
    if (plan.options.step)
        return cut_into_steps(plan, where, *plan.options.step, sum_parts);

    index_t gathered = 0;
    index_t touched = where.panel_of(D, last).size() * bytes_of_element(D);
    for (const tensor_id operand : {A, B})
        if (operand == A || !plan.problem->unary) {
            const index_t panel = where.panel_of(operand, last).size() * bytes_of_element(operand);
            touched += panel;
            if (where.team_size(operand) > 1)
                gathered += panel;
        }
    const double arriving = receiving_seconds(
        plan, static_cast<double>(where.words_received(last, plan.words.product)), 0);
    const double multiplied = plan.price.multiplying(plan.type, where.multiply_adds(last));
    const double exposed = multiplied > 0 ? std::min(1.0, arriving / multiplied) : 0;
    const index_t enough =
        std::clamp<index_t>(static_cast<index_t>(std::ceil(exposed / most_exposed)), 2, most_steps);
    const index_t worthwhile =
        gathered < touched / most_touched ? 1 : std::min(enough, gathered / least_bytes);
    step_size most;
    const index_t k = block_size(plan, where, label_class::k);
    const index_t batch = block_size(plan, where, label_class::batch);
    const index_t most_along_k = plan.reproducible() ? most_reproducible_steps : most_steps;
    if (const index_t steps = std::min({worthwhile, most_along_k, k / least_k_of_step}); steps > 1)
        most.k = base::divide_up(k, steps);
    else if (const index_t batches = std::min(worthwhile, batch); batches > 1)
        most.batch = base::divide_up(batch, batches);
    return cut_into_steps(plan, where, most, sum_parts);
}

std::optional<layouts> steps_within(const plan_state &plan, const layouts &where, index_t limit) {
    const index_t left = limit - reserved_workspace(plan, limit);
    if (!plan.options.step)
        return step_search(plan, where).within(left);
    layouts forced = default_steps(plan, where);
    return peak_bytes(plan, forced) <= left ? std::optional(std::move(forced)) : std::nullopt;
}

index_t least_memory(const plan_state &plan, const layouts &where, index_t known) {
    return limit_of(plan, plan.options.step ? peak_bytes(plan, default_steps(plan, where))
                                            : step_search(plan, where).least(known));
}

index_t least_memory_if_kept(const plan_state &plan, const layouts &where,
                             const may_be_kept &kept) {
    const layouts steps = plan.options.step
                              ? default_steps(plan, where)
                              : cut_into_steps(plan, where, smallest_step, smallest_step_parts);
    return limit_of(plan, memory_of::least(plan, steps, kept));
}

index_t reserved_workspace(const plan_state &plan, index_t limit) noexcept {
    return plan.options.workspace_limit ? std::min(plan.options.workspace_limit->value, limit / 32)
                                        : limit / 32;
}

index_t peak_bytes(const plan_state &plan, const layouts &candidate) {
    return memory_of(plan, candidate).of_all(candidate);
}

index_t sample_peak_bytes(const plan_state &plan, const layouts &candidate) {
    return memory_of(plan, candidate).of_some(candidate);
}

} // namespace tenfold::dist_impl
