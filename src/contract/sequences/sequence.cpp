// Plans a sequence, sums it up and describes it.
#include "contract/sequences/sequence.hpp"

#include <algorithm>

#include <tenfold/error.hpp>

#include "base/context_of.hpp"
#include "base/footprint.hpp"
#include "base/text.hpp"
#include "contract/front/plan_state.hpp"
#include "contract/sequences/sequence_attempt.hpp"
#include "einsum/parser/path_steps.hpp"

namespace tenfold::contract_impl {
namespace {

using base::describe_seconds;
using base::format;
using einsum_impl::contraction_path;
using einsum_impl::network;

/// Takes the cheapest path if it fits the limit, else the next cheapest one that does. Another path
/// gives other bits, so a reproducible sequence has no choice; nor has one whose caller gives the
/// path.
sequence cheapest_that_fits(const sequence_request &asked, const network &net) {
    const bool may_choose = !asked.reproducible && net.path.empty();
    byte_count least{INT64_MAX};
    for (const bool frugal : {false, true}) {
        std::vector<contraction_path> paths = find_paths(net, frugal);
        if (!may_choose)
            paths.resize(frugal ? 0 : 1);
        for (const contraction_path &path : paths) {
            sequence_attempt found = try_path(asked, net, path);
            if (found.made) {
                found.made->cheapest = &path == &paths.front();
                return std::move(*found.made);
            }
            least = std::min(least, found.least);
        }
    }
    // Beyond most_optimal inputs, orders that were not tried may need less.
    throw workspace_refusal(!net.path.empty() ? "this contraction in the given order"
                            : !may_choose || net.operands.size() <= einsum_impl::most_optimal
                                ? "this contraction"
                                : "each order of this contraction that was tried",
                            least, asked.limit);
}

/// D = beta op(C) as a contraction of two inputs that have D's labels and one more of extent 0.
sequence make_empty(const sequence_request &asked) {
    drafted_step step;
    step.spec.label_names = asked.spec.label_names;
    step.spec.label_names.emplace_back("nothing");
    step.spec.output = asked.spec.output;
    step.spec.broadcast = asked.spec.broadcast; // tensors of an epilogue may be
    std::vector<label_t> labels;
    extents_t extents;
    for (std::size_t mode = 0; mode < asked.spec.output.size(); ++mode) {
        const label_t label = asked.spec.output[mode];
        if (std::find(labels.begin(), labels.end(), label) != labels.end())
            continue;
        labels.push_back(label);
        extents.push_back(asked.d.shape().extent(static_cast<int>(mode)));
    }
    const layout shape(extents, extents_t(extents.size(), 0));
    step.spec.inputs = {std::move(labels), {static_cast<label_t>(asked.spec.label_names.size())}};
    step.spec.text = step.spec.to_string();

    const data_type type = asked.d.type();
    const std::array operands{input(type, nullptr, shape), input(type, nullptr, layout({0}))};
    contract_options options = asked.options;
    options.alpha = 1.0;
    options.beta = std::nullopt;
    contraction_plan plan = make_plan(step.spec, operands, asked.c, asked.d, options);
    sequence made;
    made.workspace = plan.workspace_size();
    made.steps.push_back({std::move(step), std::move(plan), 0});
    made.empty = true;
    return made;
}

/// The layout of the elements that are read: the diagonal for repeated labels.
layout elements_read(const std::vector<label_t> &labels, const layout &shape) {
    std::vector<label_t> known;
    extents_t extents, strides;
    for (int mode = 0; mode < shape.order(); ++mode) {
        const label_t label = labels[static_cast<std::size_t>(mode)];
        const auto found = std::find(known.begin(), known.end(), label);
        const auto at = static_cast<std::size_t>(found - known.begin());
        if (found == known.end()) {
            known.push_back(label);
            extents.push_back(shape.extent(mode));
            strides.push_back(0);
        }
        // For at most one position the stride may be any number, and adding strides could overflow.
        if (shape.extent(mode) > 1 && !shape.empty())
            strides[at] += shape.stride(mode);
    }
    return {std::move(extents), std::move(strides)};
}

step_summary summarise(const sequence &steps, std::size_t number) {
    const sequence_step &step = steps.steps[number];
    const plan_summary &plan = step.plan.summary();
    step_summary summary{
        step.draft.spec.text, {},         plan.algorithm, plan.m,         plan.n, plan.k,
        plan.batch,           plan.flops, plan.seconds,   plan.workspace, {}};
    for (const operand_place place : step.draft.operands)
        summary.operands.push_back(place.is_input
                                       ? place.number
                                       : steps.input_elements.size() +
                                             steps.intermediates[place.number].written_by);
    if (step.draft.result) {
        const drafted_intermediate &result = steps.intermediates[*step.draft.result];
        summary.result = bytes(result.shape.size() * size_of(result.type));
    } else {
        const einsum_impl::contraction_problem &last = whole_of(step.plan).problem;
        summary.result =
            bytes(last.shape[einsum_impl::D].size() * size_of(last.type[einsum_impl::D]));
    }
    return summary;
}

std::string describe_choice(const sequence &steps) {
    return std::string(einsum_impl::describe(steps.path.origin)) +
           (steps.cheapest ? "" : " within the workspace limit");
}

/// "input 2", or "X1" for the result of step 1.
std::string name_of(std::size_t operand, std::size_t inputs) {
    return operand < inputs ? "input " + std::to_string(operand + 1)
                            : "X" + std::to_string(operand - inputs + 1);
}

/// "1. X1 = input 1 * input 3: ac=ab*bc, m n k batch: .., 0.2 GFLOP, result 1.2 MiB" and its
/// plan's line.
std::string describe_step(const sequence &steps, const plan_summary &summary, std::size_t number) {
    const step_summary &step = summary.steps[number];
    const bool is_last = number + 1 == summary.steps.size();
    std::string text =
        format("  %zu. ", number + 1) + (is_last ? "D" : "X" + std::to_string(number + 1)) + " = ";
    for (std::size_t i = 0; i < step.operands.size(); ++i)
        text += (i > 0 ? " * " : "") + name_of(step.operands[i], steps.input_elements.size());
    text += ": " + step.expression +
            format(", %lld x %lld x %lld x %lld, %.4g GFLOP, ", static_cast<long long>(step.m),
                   static_cast<long long>(step.n), static_cast<long long>(step.k),
                   static_cast<long long>(step.batch), step.flops * 1e-9) +
            base::describe(step.result) + "\n";
    const plan_state &plan = whole_of(steps.steps[number].plan);
    return text + "     " + std::string(name(step.algorithm)) + ": " +
           description_of(*plan.chosen) + ", predicted " + describe_seconds(step.seconds) +
           ", workspace " + base::describe(step.workspace) + "\n" +
           (plan.tuning.empty() ? "" : "   " + plan.tuning);
}

} // namespace

sequence make_sequence(const contraction_spec &spec, std::span<const input> inputs, const input &c,
                       const output &d, const contract_options &options) {
    const context &ctx = base::context_of(options);
    const sequence_request asked{spec,
                                 inputs,
                                 c,
                                 d,
                                 options,
                                 options.workspace_limit.value_or(ctx.settings().workspace_limit),
                                 options.reproducible.value_or(ctx.settings().reproducible),
                                 einsum_impl::type_of_sums(d.type(), options.f64_sums)};
    const network net = einsum_impl::make_network(spec, inputs, c, d, asked.computed);
    sequence made = net.empty() ? make_empty(asked) : cheapest_that_fits(asked, net);
    if (!made.empty && !is_integer(d.type()) &&
        (options.tuning != tuning::estimate || !ctx.settings().wisdom.empty()))
        tune_steps(asked, made);
    made.flops_at_once =
        net.empty() ? 0
                    : flops_per_multiply_add(d.type()) * einsum_impl::multiply_adds_at_once(net);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        made.input_types.push_back(inputs[i].type());
        made.input_elements.push_back(elements_read(spec.inputs[i], inputs[i].shape()));
    }
    return made;
}

std::size_t footprint(const sequence &steps) noexcept {
    using base::allocated_by;
    std::size_t sum = allocated_by(steps.steps) + allocated_by(steps.intermediates) +
                      allocated_by(steps.offsets) + allocated_by(steps.input_elements) +
                      allocated_by(steps.input_types) + allocated_by(steps.path.steps);
    for (const sequence_step &step : steps.steps) {
        const contraction_spec &spec = step.draft.spec;
        sum += footprint(step.plan) + allocated_by(step.draft.operands) +
               allocated_by(spec.inputs) + allocated_by(spec.output) +
               allocated_by(spec.label_names) + allocated_by(spec.text);
        for (const std::vector<label_t> &labels : spec.inputs)
            sum += allocated_by(labels);
    }
    for (const drafted_intermediate &one : steps.intermediates)
        sum += allocated_by(one.labels) + allocated_by(one.shape);
    for (const layout &one : steps.input_elements)
        sum += allocated_by(one);
    return sum;
}

plan_summary summarise(const sequence &steps, std::span<const input> inputs, const output &d) {
    plan_summary summary{};
    for (std::size_t s = 0; s < steps.steps.size(); ++s) {
        summary.steps.push_back(summarise(steps, s));
        const step_summary &step = summary.steps.back();
        summary.flops += step.flops;
        summary.seconds += step.seconds;
        summary.threads = std::max(summary.threads, steps.steps[s].plan.summary().threads);
        if (s + 1 < steps.steps.size())
            summary.largest_intermediate = std::max(summary.largest_intermediate, step.result);
    }
    const auto costliest = std::max_element(
        summary.steps.begin(), summary.steps.end(),
        [](const step_summary &one, const step_summary &other) { return one.flops < other.flops; });
    summary.algorithm = costliest->algorithm;
    summary.m = costliest->m;
    summary.n = costliest->n;
    summary.k = costliest->k;
    summary.batch = costliest->batch;
    for (const input &one : inputs)
        summary.bytes +=
            static_cast<double>(one.shape().size()) * static_cast<double>(size_of(one.type()));
    summary.bytes += static_cast<double>(d.shape().size()) * static_cast<double>(size_of(d.type()));
    summary.workspace = steps.workspace;
    summary.flops_at_once = steps.flops_at_once;
    summary.path =
        steps.empty ? einsum_impl::free_path(inputs.size()) : einsum_impl::positions_of(steps.path);
    return summary;
}

std::string explain_sequence(const plan_state &state) {
    const sequence &steps = *state.sequence;
    const plan_summary &summary = state.summary;
    const data_type type = whole_of(steps.steps.back().plan).problem.type[einsum_impl::D];
    std::string text = state.text + ", " + std::string(name(type)) +
                       format(", %zu inputs, %d %s\n", steps.input_elements.size(), summary.threads,
                              summary.threads == 1 ? "thread" : "threads");
    if (steps.empty)
        return text + "  an extent is 0: nothing is multiplied\n";
    text += describe_conj_output(state);
    text += format("  path: %zu steps, ", summary.steps.size()) + describe_choice(steps) +
            format(", %.4g GFLOP; all loops at once: %.4g GFLOP, %.3g x\n", summary.flops * 1e-9,
                   summary.flops_at_once * 1e-9, summary.flops_at_once / summary.flops);
    text += format("  %s of tensors, largest intermediate ",
                   base::describe(base::nearest_byte_count(summary.bytes)).c_str()) +
            base::describe(summary.largest_intermediate) + "\n";
    text += "  predicted " + describe_seconds(summary.seconds) + ", workspace " +
            base::describe(summary.workspace) + ", intermediates included\n";
    for (std::size_t s = 0; s < summary.steps.size(); ++s)
        text += describe_step(steps, summary, s);
    return text;
}

} // namespace tenfold::contract_impl
