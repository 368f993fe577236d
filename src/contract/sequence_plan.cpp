#include <algorithm>
#include <optional>

#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "base/workspace.hpp"
#include "contract/arena_layout.hpp"
#include "contract/plan_state.hpp"
#include "contract/sequence.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::contraction_path;
using einsum_impl::network;

/// What was asked for.
struct request {
    const contraction_spec &spec;
    std::span<const input> inputs;
    const input &c;
    const output &d;
    const contract_options &options;
    byte_count limit;
    bool reproducible;
};

/// A path made concrete: a sequence, or the least limit under which it would be one.
struct attempt {
    std::optional<sequence> made;
    byte_count least;
};

std::vector<lifetime> lifetimes_of(const std::vector<drafted_intermediate> &intermediates) {
    std::vector<lifetime> pieces;
    for (const drafted_intermediate &one : intermediates)
        pieces.push_back({one.size.value, one.written_by, one.read_by});
    return pieces;
}

/// Moves everything closer together, now that it is known what the steps need, if that saves
/// memory.
void tighten(sequence &made) {
    std::vector<lifetime> pieces = lifetimes_of(made.intermediates);
    for (std::size_t s = 0; s < made.steps.size(); ++s)
        pieces.push_back(
            {base::round_up(made.steps[s].plan.workspace_size().value, base::workspace_alignment),
             s, s});
    const arena_layout arena(std::move(pieces));
    if (arena.size() >= made.workspace.value)
        return;
    made.workspace = bytes(arena.size());
    for (std::size_t i = 0; i < made.offsets.size(); ++i)
        made.offsets[i] = arena.offset(i);
    for (std::size_t s = 0; s < made.steps.size(); ++s)
        made.steps[s].workspace_offset = arena.offset(made.offsets.size() + s);
}

contraction_plan plan_step(const request &asked, const sequence_draft &draft, std::size_t number,
                           const contract_options &options) {
    const drafted_step &step = draft.steps[number];
    std::vector<input> operands;
    for (const operand_place place : step.operands)
        if (place.is_input)
            operands.push_back(asked.inputs[place.number]);
        else
            operands.emplace_back(draft.intermediates[place.number].type, nullptr,
                                  draft.intermediates[place.number].shape);
    try {
        if (step.is_last())
            return make_plan(step.spec, operands, asked.c, asked.d, options);
        const drafted_intermediate &result = draft.intermediates[*step.result];
        const output d(result.type, nullptr, result.shape);
        return make_plan(step.spec, operands, d, d, options);
    } catch (const error &refused) {
        if (refused.code() != errc::unsupported)
            throw;
        throw error(errc::unsupported,
                    std::string(refused.what()) + "; it is step " + std::to_string(number + 1) +
                        " of " + std::to_string(draft.steps.size()) + ", " + step.spec.text);
    }
}

/// An algorithm that was asked for multiplies; sums and conversions of one input are done as suits
/// them, unless it is the reference that was asked for.
contract_options options_of(const request &asked, const drafted_step &step, int threads) {
    contract_options options = asked.options;
    options.alpha = 1.0;
    options.beta = std::nullopt;
    options.threads = threads;
    options.diagonal_output = asked.options.diagonal_output && step.is_last();
    if (step.operands.size() == 1 && options.algorithm != algorithm::reference)
        options.algorithm = algorithm::automatic;
    return options;
}

attempt try_path(const request &asked, const network &net, const contraction_path &path,
                 int threads) {
    sequence_draft draft = make_draft(asked.spec, asked.inputs, asked.d, net, path);
    const arena_layout arena(lifetimes_of(draft.intermediates));
    sequence made;
    index_t least = arena.size();
    bool fits = arena.size() <= asked.limit.value;
    index_t size = arena.size();
    for (std::size_t s = 0; s < draft.steps.size(); ++s) {
        const index_t hole = arena.largest_hole(s);
        const index_t top = arena.top(s);
        contract_options options = options_of(asked, draft.steps[s], threads);
        options.workspace_limit = bytes(std::max({hole, asked.limit.value - top, index_t{0}}));
        try {
            contraction_plan plan = plan_step(asked, draft, s, options);
            const index_t offset = arena.place(s, plan.workspace_size().value);
            size = std::max(
                size, base::checked_add(offset, plan.workspace_size().value, "bytes of workspace"));
            made.steps.push_back({draft.steps[s], std::move(plan), offset});
        } catch (const workspace_refusal &refused) {
            fits = false;
            if (refused.least().value > hole)
                least = std::max(
                    least, base::checked_add(top, refused.least().value, "bytes of workspace"));
        }
    }
    if (!fits)
        return {std::nullopt, bytes(least)};
    for (std::size_t i = 0; i < draft.intermediates.size(); ++i)
        made.offsets.push_back(arena.offset(i));
    made.intermediates = std::move(draft.intermediates);
    made.workspace = bytes(size);
    made.path = path;
    tighten(made);
    return {std::move(made), bytes(size)};
}

/// The cheapest path if it fits the limit, else the next cheapest one that does.
sequence cheapest_that_fits(const request &asked, const network &net) {
    // What is reproducible must not depend on the number of threads, and workspace does.
    const int threads = asked.reproducible ? 1 : asked.options.threads;
    byte_count least{INT64_MAX};
    for (const bool frugal : {false, true}) {
        const std::vector<contraction_path> paths = find_paths(net, frugal);
        for (const contraction_path &path : paths) {
            attempt found = try_path(asked, net, path, threads);
            if (found.made && threads != asked.options.threads)
                found = try_path(asked, net, path, asked.options.threads);
            if (found.made) {
                found.made->cheapest = &path == &paths.front();
                return std::move(*found.made);
            }
            least = std::min(least, found.least);
        }
    }
    throw workspace_refusal("this contraction", least, asked.limit);
}

/// D = beta op(C): as a contraction of two inputs that carry D's labels and one more, of extent 0.
sequence make_empty(const request &asked) {
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

/// Of repeated labels, the diagonal.
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
        // Where there is one position at most, the stride may be any number, and sums could wrap.
        if (shape.extent(mode) > 1 && !shape.empty())
            strides[at] += shape.stride(mode);
    }
    return {std::move(extents), std::move(strides)};
}

} // namespace

sequence make_sequence(const contraction_spec &spec, std::span<const input> inputs, const input &c,
                       const output &d, const contract_options &options) {
    const context &ctx = options.ctx != nullptr ? *options.ctx : context::global();
    const request asked{spec,
                        inputs,
                        c,
                        d,
                        options,
                        options.workspace_limit.value_or(ctx.settings().workspace_limit),
                        options.reproducible.value_or(ctx.settings().reproducible)};
    const network net = einsum_impl::make_network(spec, inputs, c, d);
    sequence made = net.empty() ? make_empty(asked) : cheapest_that_fits(asked, net);
    made.flops_at_once =
        net.empty() ? 0
                    : flops_per_multiply_add(d.type()) * einsum_impl::multiply_adds_at_once(net);
    made.input_type = inputs[0].type();
    for (std::size_t i = 0; i < inputs.size(); ++i)
        made.input_elements.push_back(elements_read(spec.inputs[i], inputs[i].shape()));
    return made;
}

} // namespace tenfold::contract_impl
