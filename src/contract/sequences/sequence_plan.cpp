#include <algorithm>

#include <tenfold/error.hpp>

#include "base/context_of.hpp"
#include "contract/front/plan_state.hpp"
#include "contract/sequences/sequence.hpp"
#include "contract/sequences/sequence_attempt.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::contraction_path;
using einsum_impl::network;

/// Takes the cheapest path if it fits the limit, else the next cheapest one that does.
sequence cheapest_that_fits(const sequence_request &asked, const network &net) {
    byte_count least{INT64_MAX};
    for (const bool frugal : {false, true}) {
        const std::vector<contraction_path> paths = find_paths(net, frugal);
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
    throw workspace_refusal(net.operands.size() <= einsum_impl::most_optimal
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

    const data_type type = asked.inputs[0].type();
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
                                 options.reproducible.value_or(ctx.settings().reproducible)};
    const network net = einsum_impl::make_network(spec, inputs, c, d);
    sequence made = net.empty() ? make_empty(asked) : cheapest_that_fits(asked, net);
    if (!made.empty && (options.tuning != tuning::estimate || !ctx.settings().wisdom.empty()))
        tune_steps(asked, made);
    made.flops_at_once =
        net.empty() ? 0
                    : flops_per_multiply_add(d.type()) * einsum_impl::multiply_adds_at_once(net);
    made.input_type = inputs[0].type();
    for (std::size_t i = 0; i < inputs.size(); ++i)
        made.input_elements.push_back(elements_read(spec.inputs[i], inputs[i].shape()));
    return made;
}

} // namespace tenfold::contract_impl
