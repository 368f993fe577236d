#include "distributed/plan/sequence_steps.hpp"

#include <algorithm>
#include <optional>

#include "distributed/plan/grid_search.hpp"
#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {
namespace {

using contract_impl::drafted_intermediate;
using contract_impl::drafted_step;
using contract_impl::operand_place;
using contract_impl::sequence_draft;

/// Plans the steps of one path, in order.
class step_planner {
public:
    step_planner(const sequence_request &asked, sequence_draft draft)
        : asked_(asked), draft_(std::move(draft)), known_(draft_.intermediates.size()) {}

    std::vector<dist_step> run() {
        std::vector<dist_step> steps;
        for (std::size_t step = 0; step < draft_.steps.size(); ++step)
            steps.push_back(make(step));
        return steps;
    }

private:
    struct way {
        distribution spread; ///< of the step's result
        dist_plan plan;      ///< without a limit of memory
        double seconds;      ///< of the step and of the one that reads the result
    };

    /// Returns the distributions worth trying for the result of a step that is not the last, the
    /// cheapest first.
    std::vector<way> ways_to_spread(std::size_t step) {
        const drafted_step &drafted = draft_.steps[step];
        const drafted_intermediate &result = draft_.intermediates[*drafted.result];
        const auto place = std::find_if(
            draft_.steps[result.read_by].operands.begin(),
            draft_.steps[result.read_by].operands.end(), [&](const operand_place &operand) {
                return !operand.is_input && operand.number == *drafted.result;
            });
        const auto at = static_cast<int>(place - draft_.steps[result.read_by].operands.begin());
        const auto result_at = static_cast<int>(drafted.operands.size());

        std::vector<way> ways;
        distribution as_left, as_read; // chosen by plans that assume the default
        const auto add = [&](distribution spread) {
            if (std::any_of(ways.begin(), ways.end(),
                            [&](const way &known) { return known.spread == spread; }))
                return;
            known_[*drafted.result] = spread;
            const dist_plan own = plan(step, std::nullopt);
            const dist_plan reader = plan(result.read_by, std::nullopt);
            if (ways.empty()) {
                as_left = own.layout_of(result_at);
                as_read = reader.layout_of(at);
            }
            ways.push_back({std::move(spread), own,
                            internals::of(own).seconds + internals::of(reader).seconds});
        };
        add(distribution::block(result.shape.extents(), asked_.ranks()));
        add(as_left);
        add(as_read);
        std::stable_sort(ways.begin(), ways.end(),
                         [](const way &a, const way &b) { return a.seconds < b.seconds; });
        return ways;
    }

    dist_step make(std::size_t step) {
        if (draft_.steps[step].is_last()) {
            const index_t beside = bytes_beside(step);
            try {
                return make(step, plan(step, limit_beside(beside)), asked_.operands.back(), beside);
            } catch (const memory_refusal &refusal) {
                refuse(base::saturated_add(refusal.least().value, beside));
            }
        }
        index_t least = INT64_MAX;
        for (const way &one : ways_to_spread(step)) {
            known_[*draft_.steps[step].result] = one.spread;
            const index_t beside = bytes_beside(step);
            if (!asked_.options.memory_per_rank)
                return make(step, one.plan, one.spread, beside);
            try {
                return make(step, plan(step, limit_beside(beside)), one.spread, beside);
            } catch (const memory_refusal &refusal) {
                least = std::min(least, base::saturated_add(refusal.least().value, beside));
            }
        }
        refuse(least);
    }

    dist_step make(std::size_t step, dist_plan planned, distribution spread, index_t beside) const {
        const drafted_step &drafted = draft_.steps[step];
        dist_step made{drafted.spec.text, {}, std::move(planned), std::move(spread), bytes(beside)};
        for (const operand_place &operand : drafted.operands)
            made.operands.push_back(operand.is_input
                                        ? operand.number
                                        : asked_.inputs() +
                                              draft_.intermediates[operand.number].written_by);
        return made;
    }

    [[noreturn]] void refuse(index_t least) const {
        throw memory_refusal(bytes(least), *asked_.options.memory_per_rank);
    }

    std::optional<byte_count> limit_beside(index_t beside) const {
        if (!asked_.options.memory_per_rank)
            return std::nullopt;
        return bytes(std::max<index_t>(0, asked_.options.memory_per_rank->value - beside));
    }

    /// Returns the distribution of an operand; an undecided intermediate has the default.
    distribution spread_of(const operand_place &place) const {
        if (place.is_input)
            return asked_.operands[place.number];
        return known_[place.number]
                   ? *known_[place.number]
                   : distribution::block(draft_.intermediates[place.number].shape.extents(),
                                         asked_.ranks());
    }

    dist_plan plan(std::size_t step, std::optional<byte_count> limit) const {
        const drafted_step &drafted = draft_.steps[step];
        contraction_spec spec = drafted.spec;
        dist_options options = asked_.options;
        options.memory_per_rank = limit;
        const auto conjugates = [&](std::size_t operand) {
            return operand < drafted.operands.size() && drafted.operands[operand].is_input &&
                   asked_.is_conjugated(drafted.operands[operand].number);
        };
        options.conj_a = conjugates(0);
        options.conj_b = conjugates(1);
        std::vector<distribution> spreads;
        std::vector<data_type> types;
        for (const operand_place &operand : drafted.operands) {
            spreads.push_back(spread_of(operand));
            types.push_back(operand.is_input ? asked_.types[operand.number] : asked_.type);
        }
        types.push_back(drafted.is_last() ? asked_.types.back() : asked_.type);
        if (drafted.is_last()) {
            spec.operation = asked_.spec.operation;
            spec.scale = asked_.spec.scale;
            spreads.push_back(asked_.operands.back());
        } else {
            options.alpha = 1.0;
            options.beta = std::nullopt;
            options.diagonal_output = false;
            spreads.push_back(spread_of({false, *drafted.result}));
        }
        return plan_at(asked_.price, spec, types, spreads, options);
    }

    /// Returns the bytes per rank of tensors that exist while a step runs but are not its operands:
    /// the caller's inputs and output, and intermediates that later steps read.
    index_t bytes_beside(std::size_t step) const {
        const drafted_step &drafted = draft_.steps[step];
        const auto is_operand = [&](bool is_input, std::size_t number) {
            return std::any_of(drafted.operands.begin(), drafted.operands.end(),
                               [&](const operand_place &operand) {
                                   return operand.is_input == is_input && operand.number == number;
                               });
        };
        index_t total = 0;
        const auto add = [&](index_t bytes) { total = base::saturated_add(total, bytes); };
        for (std::size_t input = 0; input < asked_.inputs(); ++input)
            if (!is_operand(true, input))
                add(asked_.bytes_of_operand(input));
        if (!drafted.is_last())
            add(asked_.bytes_of_operand(asked_.inputs()));
        for (std::size_t number = 0; number < draft_.intermediates.size(); ++number) {
            const drafted_intermediate &one = draft_.intermediates[number];
            if (one.written_by < step && one.read_by > step)
                add(asked_.bytes_of(*known_[number], asked_.type));
        }
        return total;
    }

    const sequence_request &asked_;
    sequence_draft draft_;
    std::vector<std::optional<distribution>> known_; ///< of each intermediate
};

} // namespace

std::vector<dist_step> plan_steps(const sequence_request &asked,
                                  contract_impl::sequence_draft draft) {
    return step_planner(asked, std::move(draft)).run();
}

} // namespace tenfold::dist_impl
