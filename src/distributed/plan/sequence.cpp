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
#include "distributed/plan/sequence_steps.hpp"
#include "einsum/problem/checks.hpp"

namespace tenfold {
namespace dist_impl {
namespace {

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
                made.steps = plan_steps(asked, contract_impl::make_draft(
                                                   asked.spec, inputs, {d, asked.type}, net, path));
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
