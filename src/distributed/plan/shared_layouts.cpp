// Distributions for tensors that several contractions share.
#include <algorithm>
#include <cmath>
#include <optional>

#include <tenfold/dist_layouts.hpp>
#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "distributed/plan/grid_bounds.hpp"
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

/// A contraction, and what it takes with the distributions of its operands that were tried.
struct shared_contraction {
    contraction_spec spec;
    std::int64_t times;                                       ///< how often it is evaluated
    std::map<std::vector<std::uint64_t>, expense> known = {}; ///< by the distributions' hashes
};

class layout_search {
public:
    layout_search(const std::vector<shared_expression> &expressions,
                  const std::map<std::string, extents_t> &extents, data_type type, int ranks,
                  const dist_options &options, const copies_allowed &copies)
        : type_(type), ranks_(ranks), options_(options), copies_(copies),
          price_(prices::of(options)) {
        if (expressions.empty())
            throw error(errc::invalid_argument, "layouts for no expressions");
        if (options.grid || options.step || options.memory_per_rank)
            throw error(errc::invalid_argument,
                        "layouts are planned without a forced grid, steps or limit of memory");
        for (const auto &[text, times] : expressions) {
            if (times < 1)
                throw error(errc::invalid_argument, "'" + text + "' is evaluated " +
                                                        std::to_string(times) +
                                                        " times; 1 is the least");
            const auto same =
                std::find_if(contractions_.begin(), contractions_.end(),
                             [&](const shared_contraction &one) { return one.spec.text == text; });
            if (same != contractions_.end()) {
                same->times = base::saturated_add(same->times, times);
                continue;
            }
            contractions_.push_back({parse(text), times});
            for (const std::string &tensor : names_of(contractions_.back().spec)) {
                const auto known = extents.find(tensor);
                if (known == extents.end())
                    throw error(errc::invalid_argument, "'" + text + "': the extents of tensor '" +
                                                            tensor + "' were not given");
                found_.try_emplace(tensor, distribution::block(known->second, ranks));
            }
        }
    }

    planned_layouts run() {
        const expense before = expense_of_all(found_);
        const index_t memory_before = memory_of_all(found_);
        best_ = {before.seconds, memory_before};
        for (int round = 0; round < most_rounds; ++round) {
            const rating at_start = best_;
            for (const shared_contraction &one : contractions_) {
                improve(one.spec);
                if (copies_.any)
                    try_copies(one.spec);
            }
            if (!(best_ < at_start))
                break;
        }
        const expense after = expense_of_all(found_);
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

    dist_plan plan(const contraction_spec &spec, const assignment &spreads,
                   const std::optional<processor_grid> &grid = std::nullopt) const {
        std::vector<distribution> operands;
        for (const std::string &tensor : spec.operand_names)
            operands.push_back(spreads.at(tensor));
        dist_options options = options_;
        options.grid = grid;
        return plan_at(price_, spec, std::vector(operands.size(), type_), operands, options,
                       plan_detail::costs);
    }

    expense expense_of(shared_contraction &one, const assignment &spreads) const {
        std::vector<std::uint64_t> key;
        for (const std::string &tensor : one.spec.operand_names)
            key.push_back(spreads.at(tensor).hash());
        const auto known = one.known.find(key);
        if (known != one.known.end())
            return known->second;
        const dist_plan planned = plan(one.spec, spreads);
        const expense found{internals::of(planned).seconds, planned.summary().total_received.value};
        one.known.emplace(std::move(key), found);
        return found;
    }

    /// Returns early if the contractions together do not take less than `limit` seconds.
    expense expense_of_all(const assignment &spreads, double limit = INFINITY) {
        expense sum;
        for (shared_contraction &one : contractions_) {
            if (sum.seconds >= limit)
                break;
            const expense added = expense_of(one, spreads);
            sum.seconds += static_cast<double>(one.times) * added.seconds;
            sum.received = base::saturated_add(sum.received,
                                               base::saturated_multiply(one.times, added.received));
        }
        return sum;
    }

    /// Returns what a plan prefers for the tensors of its expression.
    assignment preferred(const contraction_spec &spec, const dist_plan &planned) const {
        assignment wanted;
        for (std::size_t operand = 0; operand < spec.operand_names.size(); ++operand) {
            const std::string &tensor = spec.operand_names[operand];
            const distribution &layout = planned.layout_of(static_cast<int>(operand));
            if (layout.extents() == found_.at(tensor).extents()) // else it is that of a diagonal
                wanted.try_emplace(tensor, layout);
        }
        return wanted;
    }

    /// Tries what plans of one contraction prefer: of the grid that it takes now, and of those that
    /// it would take if its tensors lay as it likes.
    void improve(const contraction_spec &spec) {
        const dist_plan now = plan(spec, found_);
        std::vector<priced_grid> grids = grid_bounds(internals::of(now)).all();
        const assignment proposal = preferred(spec, now);
        take_if_cheaper(proposal);
        for (const auto &[tensor, layout] : proposal)
            take_if_cheaper({{tensor, layout}});
        for (priced_grid &one : grids)
            one.redistribution = 0;
        const std::size_t count = std::min(grids.size(), most_grids);
        std::partial_sort(grids.begin(), grids.begin() + static_cast<std::ptrdiff_t>(count),
                          grids.end());
        for (std::size_t i = 0; i < count; ++i)
            take_if_cheaper(preferred(spec, plan(spec, found_, grids[i].grid)));
    }

    /// Tries copies of each input, and single copies of tensors that have several.
    void try_copies(const contraction_spec &spec) {
        for (std::size_t operand = 0; operand < spec.inputs.size(); ++operand) {
            const std::string &tensor = spec.operand_names[operand];
            const extents_t extents = found_.at(tensor).extents();
            for (int copies = 1; copies <= ranks_; ++copies)
                if (ranks_ % copies == 0)
                    take_if_cheaper({{tensor, distribution::replicated(extents, ranks_, copies)}});
            // A plan that finds the tensor everywhere tells where it reads it.
            assignment everywhere = found_;
            everywhere.at(tensor) = distribution::replicated(extents, ranks_, ranks_);
            const assignment wanted = preferred(spec, plan(spec, everywhere));
            take_if_cheaper(wanted);
            if (const auto its = wanted.find(tensor); its != wanted.end())
                take_if_cheaper({*its});
        }
    }

    index_t memory_of_all(const assignment &spreads) const {
        index_t sum = 0;
        for (const auto &[tensor, spread] : spreads)
            sum = base::saturated_add(
                sum, base::saturated_multiply(spread.largest_block(), size_of(type_)));
        return sum;
    }

    void take_if_cheaper(const assignment &changes) {
        assignment changed = found_;
        for (const auto &[tensor, layout] : changes)
            changed.at(tensor) = layout;
        if (changed == found_)
            return;
        const index_t memory = memory_of_all(changed);
        if (copies_.any && copies_.memory_per_rank &&
            memory > std::max(copies_.memory_per_rank->value, best_.memory))
            return;
        // If copies are not asked for, memory does not matter.
        const rating changed_rating{
            expense_of_all(changed, std::nextafter(best_.seconds, INFINITY)).seconds, memory};
        if (copies_.any ? !(changed_rating < best_) : changed_rating.seconds >= best_.seconds)
            return;
        found_ = std::move(changed);
        best_ = changed_rating;
    }

    data_type type_;
    int ranks_;
    const dist_options &options_;
    const copies_allowed &copies_;
    prices price_;
    std::vector<shared_contraction> contractions_;
    assignment found_;
    rating best_; ///< of `found_`
};

} // namespace
} // namespace dist_impl

planned_layouts plan_layouts(const std::vector<shared_expression> &expressions,
                             const std::map<std::string, extents_t> &extents, data_type type,
                             int ranks, const dist_options &options, const copies_allowed &copies) {
    return dist_impl::layout_search(expressions, extents, type, ranks, options, copies).run();
}

} // namespace tenfold
