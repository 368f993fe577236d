// Distributions for tensors that several contractions share.
#include <algorithm>
#include <cmath>
#include <list>
#include <numeric>
#include <optional>

#include <tenfold/dist_layouts.hpp>
#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "distributed/plan/contraction_planner.hpp"
#include "distributed/plan/plan_state.hpp"
#include "distributed/plan/planning.hpp"

namespace tenfold {
namespace dist_impl {
namespace {

/// Rounds over all contractions; every round but the last makes something cheaper.
constexpr int most_rounds = 8;
/// Number of grids of each contraction whose layouts are tried: those that are cheapest where
/// nothing has to be redistributed.
constexpr std::size_t most_grids = 4;

using assignment = std::map<std::string, distribution>;

/// What all contractions take together, and what the tensors occupy.
struct rating {
    double seconds = 0;
    index_t memory = 0; ///< bytes per rank
    friend auto operator<=>(const rating &, const rating &) = default;
};

/// Time and traffic of a contraction.
struct expense {
    double seconds = 0;
    index_t received = 0;
};

/// Where operands lie: the inputs, then the output.
using placement = std::vector<distribution>;

/// What is known of a contraction whose operands lie in one way, as far as it was asked for.
struct placed_contraction {
    double least = 0; ///< its plan does not take fewer seconds
    /// The grids that it would take if they lay as it likes, the cheapest first.
    std::vector<processor_grid> grids;
    std::optional<expense> takes; ///< what its plan takes
    placement liked;              ///< where that plan prefers them
    /// Where plans with these grids prefer them.
    std::vector<std::pair<processor_grid, placement>> liked_by_grid;
};

/// A contraction and its plans. Contractions that differ in names only share it.
class contraction_pattern {
public:
    contraction_pattern(const contraction_spec &spec, const std::vector<extents_t> &shapes,
                        data_type type, const dist_options &options, const prices &price)
        : spec_(spec), shapes_(shapes), types_(shapes.size(), type), options_(options),
          price_(price) {
        spec_.operand_names.clear(); // others need not have one tensor twice where this one has
    }

    bool serves(const contraction_spec &other, const std::vector<extents_t> &shapes) const {
        return shapes_ == shapes && spec_.inputs == other.inputs && spec_.output == other.output &&
               spec_.scale == other.scale && spec_.operation == other.operation;
    }

    placed_contraction &at(const placement &operands) {
        std::vector<std::uint64_t> key;
        for (const distribution &one : operands)
            key.push_back(one.hash());
        const auto [its, is_new] = known_.try_emplace(std::move(key));
        if (is_new) {
            std::vector<priced_grid> priced = planner(operands).grids(operands);
            its->second.least = std::min_element(priced.begin(), priced.end())->seconds();
            its->second.grids = cheapest_without_redistribution(std::move(priced));
        }
        return its->second;
    }

    /// What the plan takes.
    const expense &takes(placed_contraction &its, const placement &operands) const {
        if (!its.takes) {
            const dist_plan planned = plan(operands);
            its.takes = {internals::of(planned).seconds, planned.summary().total_received.value};
            its.liked = pieces_of(planned);
        }
        return *its.takes;
    }

    /// Where a plan with this grid prefers the operands.
    const placement &liked_with(const processor_grid &grid, placed_contraction &its,
                                const placement &operands) const {
        for (const auto &[known, liked] : its.liked_by_grid)
            if (known == grid)
                return liked;
        its.liked_by_grid.emplace_back(grid, pieces_of(plan(operands, grid)));
        return its.liked_by_grid.back().second;
    }

private:
    /// That of all placements, from the first of them on.
    const contraction_planner &planner(const placement &operands) {
        if (!planner_)
            planner_.emplace(price_, spec_, types_, operands, options_);
        return *planner_;
    }
    dist_plan plan(const placement &operands,
                   const std::optional<processor_grid> &grid = std::nullopt) const {
        return planner_->plan(operands, grid, plan_detail::costs);
    }
    static std::vector<processor_grid>
    cheapest_without_redistribution(std::vector<priced_grid> priced) {
        for (priced_grid &one : priced)
            one.redistribution = 0;
        const std::size_t count = std::min(priced.size(), most_grids);
        std::partial_sort(priced.begin(), priced.begin() + static_cast<std::ptrdiff_t>(count),
                          priced.end());
        std::vector<processor_grid> grids;
        for (std::size_t i = 0; i < count; ++i)
            grids.push_back(priced[i].grid);
        return grids;
    }
    placement pieces_of(const dist_plan &planned) const {
        placement pieces;
        for (std::size_t operand = 0; operand < types_.size(); ++operand)
            pieces.push_back(planned.layout_of(static_cast<int>(operand)));
        return pieces;
    }

    contraction_spec spec_;
    std::vector<extents_t> shapes_;
    std::vector<data_type> types_;
    const dist_options &options_;
    const prices &price_;
    std::optional<contraction_planner> planner_;
    std::map<std::vector<std::uint64_t>, placed_contraction> known_; ///< by the operands' hashes
};

struct shared_contraction {
    std::vector<std::string> tensors; ///< names of the operands
    contraction_pattern *pattern;
    std::int64_t times; ///< how often it is evaluated

    double in_all(double seconds) const { return static_cast<double>(times) * seconds; }
};

class layout_search {
public:
    layout_search(const std::vector<shared_expression> &expressions,
                  const std::map<std::string, extents_t> &extents, data_type type, int ranks,
                  const dist_options &options, const copies_allowed &copies)
        : type_(type), ranks_(ranks), copies_(copies), price_(prices::of(options)) {
        if (expressions.empty())
            throw error(errc::invalid_argument, "layouts for no expressions");
        if (options.grid || options.step || options.memory_per_rank)
            throw error(errc::invalid_argument,
                        "layouts are planned without a forced grid, steps or limit of memory");
        std::map<std::string, std::size_t> numbers; // of contractions, by their texts
        for (const auto &[text, times] : expressions) {
            if (times < 1)
                throw error(errc::invalid_argument, "'" + text + "' is evaluated " +
                                                        std::to_string(times) +
                                                        " times; 1 is the least");
            const auto [same, is_new] = numbers.emplace(text, contractions_.size());
            if (!is_new) {
                std::int64_t &all = contractions_[same->second].times;
                all = base::saturated_add(all, times);
                continue;
            }
            const contraction_spec spec = parse(text);
            std::vector<extents_t> shapes;
            for (const std::string &tensor : names_of(spec)) {
                const auto known = extents.find(tensor);
                if (known == extents.end())
                    throw error(errc::invalid_argument, "'" + text + "': the extents of tensor '" +
                                                            tensor + "' were not given");
                found_.try_emplace(tensor, distribution::block(known->second, ranks));
                shapes.push_back(known->second);
            }
            // Patterns are named as the first contraction that has them.
            label_problem(spec, std::vector(shapes.size(), type), shapes, options.diagonal_output);
            auto pattern = std::find_if(
                patterns_.begin(), patterns_.end(),
                [&](const contraction_pattern &one) { return one.serves(spec, shapes); });
            if (pattern == patterns_.end())
                pattern = patterns_.emplace(pattern, spec, shapes, type, options, price_);
            contractions_.push_back({spec.operand_names, &*pattern, times});
        }
    }

    planned_layouts run() {
        const expense before = expense_of_all();
        const index_t memory_before = memory_of_all(found_);
        best_ = {before.seconds, memory_before};
        for (int round = 0; round < most_rounds; ++round) {
            const rating at_start = best_;
            for (const shared_contraction &one : contractions_) {
                improve(one);
                if (copies_.any)
                    try_copies(one);
            }
            if (!(best_ < at_start))
                break;
        }
        const expense after = expense_of_all();
        return {std::move(found_),     after.seconds,          before.seconds,
                bytes(after.received), bytes(before.received), bytes(best_.memory),
                bytes(memory_before)};
    }

private:
    static const std::vector<std::string> &names_of(const contraction_spec &spec) {
        const bool all = spec.operand_names.size() == spec.inputs.size() + 1 &&
                         std::none_of(spec.operand_names.begin(), spec.operand_names.end(),
                                      [](const std::string &one) { return one.empty(); });
        if (!all)
            throw error(errc::invalid_argument,
                        "'" + spec.text + "' does not name its tensors, as 'C[a,b]=A[a,k]*B[k,b]'");
        return spec.operand_names;
    }

    placement operands_of(const shared_contraction &one, const assignment &changes = {}) const {
        placement operands;
        for (const std::string &tensor : one.tensors) {
            const auto changed = changes.find(tensor);
            operands.push_back(changed != changes.end() ? changed->second : found_.at(tensor));
        }
        return operands;
    }

    /// With what has been found. Notes the seconds of each contraction.
    expense expense_of_all() {
        expense sum;
        seconds_.clear();
        for (const shared_contraction &one : contractions_) {
            const placement operands = operands_of(one);
            const expense &its = one.pattern->takes(one.pattern->at(operands), operands);
            seconds_.push_back(one.in_all(its.seconds));
            sum.seconds += seconds_.back();
            sum.received = base::saturated_add(sum.received,
                                               base::saturated_multiply(one.times, its.received));
        }
        return sum;
    }

    /// Returns what each contraction takes with changes, and nothing if they do not take less than
    /// `limit` together. Plans as few of those whose tensors change as that needs.
    std::optional<std::vector<double>> seconds_below(double limit, const assignment &changes) {
        struct bounded {
            std::size_t number;
            placement operands;
            placed_contraction *its;
        };
        std::vector<double> seconds = seconds_;
        std::vector<bounded> bounds;
        for (std::size_t i = 0; i < contractions_.size(); ++i) {
            const shared_contraction &one = contractions_[i];
            if (std::none_of(one.tensors.begin(), one.tensors.end(),
                             [&](const std::string &its) { return changes.count(its) > 0; }))
                continue;
            placement operands = operands_of(one, changes);
            placed_contraction &its = one.pattern->at(operands);
            seconds[i] = one.in_all(its.takes ? its.takes->seconds : its.least);
            if (!its.takes)
                bounds.push_back({i, std::move(operands), &its});
        }
        // What takes longest tells first that a change does not pay.
        std::stable_sort(bounds.begin(), bounds.end(), [&](const bounded &a, const bounded &b) {
            return seconds[a.number] > seconds[b.number];
        });
        // Rounding may put a bound a little above what it bounds.
        constexpr double rounding = 1 + 1e-9;
        for (const bounded &next : bounds) {
            if (std::accumulate(seconds.begin(), seconds.end(), 0.0) > rounding * limit)
                return std::nullopt;
            const shared_contraction &one = contractions_[next.number];
            seconds[next.number] = one.in_all(one.pattern->takes(*next.its, next.operands).seconds);
        }
        if (std::accumulate(seconds.begin(), seconds.end(), 0.0) >= limit)
            return std::nullopt;
        return seconds;
    }

    /// What a plan prefers for the tensors of its contraction.
    assignment proposal(const shared_contraction &one, const placement &liked) const {
        assignment wanted;
        for (std::size_t operand = 0; operand < one.tensors.size(); ++operand) {
            const std::string &tensor = one.tensors[operand];
            if (liked[operand].extents() == found_.at(tensor).extents()) // else a diagonal's
                wanted.try_emplace(tensor, liked[operand]);
        }
        return wanted;
    }

    /// Tries what plans of one contraction prefer: of the grid that it takes now, and of those that
    /// it would take if its tensors lay as it likes.
    void improve(const shared_contraction &one) {
        const placement before = operands_of(one);
        placed_contraction &now = one.pattern->at(before);
        one.pattern->takes(now, before);
        const assignment of_now = proposal(one, now.liked);
        take_if_cheaper(of_now);
        for (const auto &[tensor, layout] : of_now)
            take_if_cheaper({{tensor, layout}});
        for (const processor_grid &grid : now.grids) {
            const placement operands = operands_of(one);
            take_if_cheaper(
                proposal(one, one.pattern->liked_with(grid, one.pattern->at(operands), operands)));
        }
    }

    /// Tries copies of each input, and single copies of tensors that have several.
    void try_copies(const shared_contraction &one) {
        for (std::size_t operand = 0; operand + 1 < one.tensors.size(); ++operand) {
            const std::string &tensor = one.tensors[operand];
            const extents_t extents = found_.at(tensor).extents();
            for (int copies = 1; copies <= ranks_; ++copies)
                if (ranks_ % copies == 0)
                    take_if_cheaper({{tensor, distribution::replicated(extents, ranks_, copies)}});
            // A plan that finds the tensor everywhere tells where it reads it.
            const placement operands =
                operands_of(one, {{tensor, distribution::replicated(extents, ranks_, ranks_)}});
            placed_contraction &its = one.pattern->at(operands);
            one.pattern->takes(its, operands);
            const assignment wanted = proposal(one, its.liked);
            take_if_cheaper(wanted);
            if (const auto of_tensor = wanted.find(tensor); of_tensor != wanted.end())
                take_if_cheaper({*of_tensor});
        }
    }

    index_t memory_of_all(const assignment &spreads) const {
        index_t sum = 0;
        for (const auto &[tensor, spread] : spreads)
            sum = base::saturated_add(
                sum, base::saturated_multiply(spread.largest_block(), size_of(type_)));
        return sum;
    }

    void take_if_cheaper(assignment changes) {
        std::erase_if(changes, [&](const auto &one) { return one.second == found_.at(one.first); });
        if (changes.empty())
            return;
        assignment changed = changes;
        changed.insert(found_.begin(), found_.end());
        const index_t memory = memory_of_all(changed);
        if (copies_.any && copies_.memory_per_rank &&
            memory > std::max(copies_.memory_per_rank->value, best_.memory))
            return;
        // If copies are not asked for, memory does not matter.
        const bool may_take_as_long = copies_.any && memory < best_.memory;
        std::optional<std::vector<double>> seconds = seconds_below(
            may_take_as_long ? std::nextafter(best_.seconds, INFINITY) : best_.seconds, changes);
        if (!seconds)
            return;
        found_ = std::move(changed);
        seconds_ = std::move(*seconds);
        best_ = {std::accumulate(seconds_.begin(), seconds_.end(), 0.0), memory};
    }

    data_type type_;
    int ranks_;
    const copies_allowed &copies_;
    prices price_;
    std::list<contraction_pattern> patterns_;
    std::vector<shared_contraction> contractions_;
    assignment found_;
    std::vector<double> seconds_; ///< of each contraction in all its evaluations, with `found_`
    rating best_;                 ///< of `found_`
};

} // namespace
} // namespace dist_impl

planned_layouts plan_layouts(const std::vector<shared_expression> &expressions,
                             const std::map<std::string, extents_t> &extents, data_type type,
                             int ranks, const dist_options &options, const copies_allowed &copies) {
    return dist_impl::layout_search(expressions, extents, type, ranks, options, copies).run();
}

} // namespace tenfold
