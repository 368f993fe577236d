#include <algorithm>
#include <array>

#include <tenfold/dist_mixed_plan.hpp>
#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "base/scalars.hpp"
#include "contract/sequences/sequence_draft.hpp"
#include "distributed/plan/grid_search.hpp"
#include "distributed/plan/hash.hpp"
#include "distributed/plan/plan_state.hpp"
#include "distributed/plan/sequence_state.hpp"
#include "einsum/problem/checks.hpp"

namespace tenfold {
namespace dist_impl {
namespace {

using contract_impl::drafted_intermediate;
using contract_impl::drafted_step;
using contract_impl::operand_place;
using contract_impl::sequence_draft;

struct sequence_request {
    const prices &price;
    const contraction_spec &spec;
    data_type type;                         ///< of the sums, and of intermediates
    operand_types types;                    ///< of the inputs, then of the output
    std::span<const distribution> operands; ///< likewise
    const dist_options &options;
    const std::vector<bool> &conjugated;

    std::size_t inputs() const noexcept { return operands.size() - 1; }
    int ranks() const noexcept { return operands.front().ranks(); }
    index_t bytes_of(const distribution &spread, data_type of) const {
        return base::saturated_multiply(spread.largest_block(), size_of(of));
    }
    /// Of an operand of the call, the output being the last.
    index_t bytes_of_operand(std::size_t number) const {
        return bytes_of(operands[number], types[number]);
    }
    bool is_conjugated(std::size_t input) const {
        const bool by_option = input == 0 ? options.conj_a : input == 1 && options.conj_b;
        return by_option != (input < conjugated.size() && conjugated[input]);
    }
};

/// Plans the steps of one path, in order.
class step_planner {
public:
    step_planner(const sequence_request &asked, sequence_draft draft)
        : asked_(asked), draft_(std::move(draft)), known_(draft_.intermediates.size()) {}

    /// Throws memory_refusal with the least memory that the whole sequence needs.
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

/// Makes the step D = beta D, as a sum over a label of extent 0.
dist_step make_empty(const sequence_request &asked) {
    contraction_spec spec = asked.spec;
    spec.operand_names.clear();
    spec.label_names.emplace_back("nothing");
    spec.inputs = {{}};
    extents_t extents;
    const extents_t &d = asked.operands.back().extents();
    for (std::size_t mode = 0; mode < spec.output.size(); ++mode) {
        std::vector<label_t> &labels = spec.inputs[0];
        if (std::find(labels.begin(), labels.end(), spec.output[mode]) != labels.end())
            continue;
        labels.push_back(spec.output[mode]);
        extents.push_back(d[mode]);
    }
    spec.inputs[0].push_back(static_cast<label_t>(spec.label_names.size() - 1));
    extents.push_back(0);
    spec.text = spec.to_string();
    dist_options options = asked.options;
    options.conj_a = options.conj_b = false;
    options.memory_per_rank = std::nullopt; // D is scaled in place
    const std::array operands{distribution::block(std::move(extents), asked.ranks()),
                              asked.operands.back()};
    index_t beside = 0;
    for (std::size_t input = 0; input < asked.inputs(); ++input)
        beside = base::saturated_add(beside, asked.bytes_of_operand(input));
    return {
        spec.text,
        {},
        plan_at(asked.price, spec, std::array{asked.type, asked.types.back()}, operands, options),
        asked.operands.back(),
        bytes(beside)};
}

/// Makes the network; make_network needs only extents and types of tensors.
einsum_impl::network network_of(const sequence_request &asked, std::vector<input> &inputs) {
    for (std::size_t i = 0; i < asked.inputs(); ++i)
        inputs.emplace_back(asked.types[i], nullptr, layout(asked.operands[i].extents()));
    const output d(asked.types.back(), nullptr, layout(asked.operands.back().extents()));
    return einsum_impl::make_network(asked.spec, inputs, d, d, asked.type);
}

/// Plans the cheapest path that fits into memory. If none does, returns what the step that was
/// refused needs at least.
std::optional<index_t> plan_paths(const sequence_request &asked, const einsum_impl::network &net,
                                  std::span<const input> inputs, sequence_state &made) {
    const bool may_choose = asked.options.memory_per_rank &&
                            !asked.options.reproducible.value_or(false) && net.path.empty();
    const output d(asked.types.back(), nullptr, layout(asked.operands.back().extents()));
    index_t least = INT64_MAX;
    for (const bool frugal : {false, true}) {
        if (frugal && !may_choose)
            break;
        const auto paths = einsum_impl::find_paths(net, frugal);
        for (const auto &path : paths) {
            try {
                made.steps =
                    step_planner(asked, contract_impl::make_draft(asked.spec, inputs,
                                                                  {d, asked.type}, net, path))
                        .run();
                made.origin = path.origin;
                made.cheapest = &path == &paths.front();
                return std::nullopt;
            } catch (const memory_refusal &refusal) {
                least = std::min(least, refusal.least().value);
            }
        }
    }
    return least;
}

void plan_cheapest(const sequence_request &asked, sequence_state &made) {
    std::vector<input> inputs;
    const einsum_impl::network net = network_of(asked, inputs);
    if (net.empty() || base::scaled(asked.spec.scale, asked.options.alpha) == scalar(0)) {
        made.empty = true;
        made.steps.push_back(make_empty(asked));
        return;
    }
    made.summary.flops_at_once =
        flops_per_multiply_add(asked.type) * einsum_impl::multiply_adds_at_once(net);
    const std::optional<index_t> refused = plan_paths(asked, net, inputs, made);
    if (!refused)
        return;
    index_t least = *refused; // may not be enough for the next step
    dist_options options = asked.options;
    const sequence_request again{asked.price,    asked.spec, asked.type,      asked.types,
                                 asked.operands, options,    asked.conjugated};
    while (true) {
        options.memory_per_rank = bytes(least);
        sequence_state unused;
        const std::optional<index_t> more = plan_paths(again, net, inputs, unused);
        if (!more || *more <= least)
            break;
        least = *more;
    }
    const bool all_tried = asked.inputs() <= einsum_impl::most_optimal;
    const char *const of = all_tried ? "" : " of the orders that were tried";
    throw memory_refusal(bytes(least), *asked.options.memory_per_rank,
                         net.path.empty() ? of : " in the given order");
}

/// Plans one or two inputs as a single step.
void plan_single(const sequence_request &asked, sequence_state &made) {
    dist_options options = asked.options;
    options.conj_a = asked.is_conjugated(0);
    options.conj_b = asked.inputs() > 1 && asked.is_conjugated(1);
    dist_plan plan = plan_at(asked.price, asked.spec, asked.types, asked.operands, options);
    made.summary.flops_at_once = plan.summary().flops;
    std::vector<std::size_t> operands;
    for (std::size_t i = 0; i < asked.inputs(); ++i)
        operands.push_back(i);
    made.steps.push_back({asked.spec.to_string(), std::move(operands), std::move(plan),
                          asked.operands.back(), bytes(0)});
}

void fill_summary(const sequence_request &asked, sequence_state &made) {
    dist_sequence_summary &s = made.summary;
    s.ranks = asked.ranks();
    const auto add = [](byte_count &total, byte_count one) {
        total = bytes(base::saturated_add(total.value, one.value));
    };
    index_t users = 0; // the caller's tensors
    for (std::size_t number = 0; number < asked.operands.size(); ++number)
        users = base::saturated_add(users, asked.bytes_of_operand(number));
    hasher hash;
    hash.add(made.text).add(made.steps.size());
    for (std::size_t number = 0; number < made.steps.size(); ++number) {
        const dist_step &step = made.steps[number];
        const dist_plan_summary &one = step.plan.summary();
        s.flops += one.flops;
        add(s.bytes_received, one.bytes_received);
        add(s.redistribution, one.redistribution);
        s.peak = std::max(s.peak, bytes(base::saturated_add(one.peak.value, step.beside.value)));
        index_t held = step.beside.value; // plus the step's own tensors: all that exists
        for (const std::size_t operand : step.operands)
            held = base::saturated_add(
                held,
                operand < asked.inputs()
                    ? asked.bytes_of_operand(operand)
                    : asked.bytes_of(made.steps[operand - asked.inputs()].result, asked.type));
        const bool is_last = number + 1 == made.steps.size();
        held = base::saturated_add(held, is_last ? asked.bytes_of_operand(asked.inputs())
                                                 : asked.bytes_of(step.result, asked.type));
        s.intermediates = std::max(s.intermediates, bytes(held - users));
        hash.add(step.plan.hash()).add(step.operands).add(step.result.hash());
    }
    made.hash = hash.value();
}

} // namespace
} // namespace dist_impl

const dist_sequence_summary &dist_sequence::summary() const noexcept { return state_->summary; }
const std::vector<dist_step> &dist_sequence::steps() const noexcept { return state_->steps; }
std::uint64_t dist_sequence::hash() const noexcept { return state_->hash; }

dist_sequence make_dist_sequence(const contraction_spec &spec, data_type type,
                                 std::span<const distribution> operands,
                                 const dist_options &options, const std::vector<bool> &conjugated) {
    return make_dist_sequence(spec, std::vector(operands.size(), type), operands, options,
                              conjugated);
}

dist_sequence make_dist_sequence(const contraction_spec &spec, std::span<const data_type> types,
                                 std::span<const distribution> operands,
                                 const dist_options &options, const std::vector<bool> &conjugated) {
    return dist_impl::plan_sequence_at(dist_impl::prices::of(options), spec, types, operands,
                                       options, conjugated);
}

dist_sequence dist_impl::plan_sequence_at(const prices &price, const contraction_spec &spec,
                                          operand_types types,
                                          std::span<const distribution> operands,
                                          const dist_options &options,
                                          const std::vector<bool> &conjugated) {
    if (operands.size() != spec.inputs.size() + 1 || types.size() != operands.size())
        throw error(errc::invalid_argument,
                    "'" + spec.text + "' has " + std::to_string(spec.inputs.size()) +
                        " inputs and an output, but " + std::to_string(operands.size()) +
                        " distributions were given");
    einsum_impl::check_type("D", types.back());
    check_shared_names(spec, types, operands);
    const data_type type = einsum_impl::type_of_sums(types.back(), false);
    const sequence_request asked{price, spec, type, types, operands, options, conjugated};
    auto made = std::make_shared<internals::state_of<dist_sequence>>();
    made->text = spec.to_string();
    made->type = type;
    made->inputs = asked.inputs();
    if (asked.inputs() <= 2) {
        plan_single(asked, *made);
    } else {
        if (options.grid || options.step)
            throw error(errc::invalid_argument, "a grid or steps are for two inputs; '" +
                                                    spec.text + "' has " +
                                                    std::to_string(asked.inputs()));
        plan_cheapest(asked, *made);
    }
    fill_summary(asked, *made);
    return internals::from<dist_sequence>(std::move(made));
}

} // namespace tenfold
