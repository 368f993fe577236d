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

/// Time and traffic of a contraction.
struct expense {
    double seconds = 0;
    index_t received = 0;
};

/// A contraction, and what it takes with the distributions of its operands that were tried.
struct shared_contraction {
    contraction_spec spec;
    int times;                                                ///< how often it is evaluated
    std::map<std::vector<std::uint64_t>, expense> known = {}; ///< by the distributions' hashes
};

class layout_search {
public:
    layout_search(const std::vector<std::string> &expressions,
                  const std::map<std::string, extents_t> &extents, data_type type, int ranks,
                  const dist_options &options)
        : type_(type), options_(options), price_(prices::of(options)) {
        if (expressions.empty())
            throw error(errc::invalid_argument, "layouts for no expressions");
        if (options.grid || options.step || options.memory_per_rank)
            throw error(errc::invalid_argument,
                        "layouts are planned without a forced grid, steps or limit of memory");
        for (const std::string &text : expressions) {
            const auto same =
                std::find_if(contractions_.begin(), contractions_.end(),
                             [&](const shared_contraction &one) { return one.spec.text == text; });
            if (same != contractions_.end()) {
                ++same->times;
                continue;
            }
            contractions_.push_back({parse(text), 1});
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
        seconds_ = before.seconds;
        for (int round = 0; round < most_rounds; ++round) {
            const double at_start = seconds_;
            for (const shared_contraction &one : contractions_)
                improve(one.spec);
            if (seconds_ >= at_start)
                break;
        }
        const expense after = expense_of_all(found_);
        return {std::move(found_), after.seconds, before.seconds, bytes(after.received),
                bytes(before.received)};
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
        return plan_at(price_, spec, type_, operands, options, plan_detail::costs);
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
            sum.seconds += one.times * added.seconds;
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

    void take_if_cheaper(const assignment &changes) {
        assignment changed = found_;
        for (const auto &[tensor, layout] : changes)
            changed.at(tensor) = layout;
        if (changed == found_)
            return;
        const double seconds = expense_of_all(changed, seconds_).seconds;
        if (seconds >= seconds_)
            return;
        found_ = std::move(changed);
        seconds_ = seconds;
    }

    data_type type_;
    const dist_options &options_;
    prices price_;
    std::vector<shared_contraction> contractions_;
    assignment found_;
    double seconds_ = 0; ///< of all contractions with `found_`
};

} // namespace
} // namespace dist_impl

planned_layouts plan_layouts(const std::vector<std::string> &expressions,
                             const std::map<std::string, extents_t> &extents, data_type type,
                             int ranks, const dist_options &options) {
    return dist_impl::layout_search(expressions, extents, type, ranks, options).run();
}

} // namespace tenfold
