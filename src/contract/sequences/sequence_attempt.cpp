#include "contract/sequences/sequence_attempt.hpp"

#include <algorithm>

#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "base/workspace.hpp"
#include "contract/front/plan_state.hpp"
#include "contract/sequences/arena_layout.hpp"

namespace tenfold::contract_impl {
namespace {

using request = sequence_request;
using attempt = sequence_attempt;

index_t add(index_t one, index_t other) {
    return base::checked_add(one, other, "bytes of workspace");
}

std::vector<lifetime> lifetimes_of(const std::vector<drafted_intermediate> &intermediates) {
    std::vector<lifetime> pieces;
    for (const drafted_intermediate &one : intermediates)
        pieces.push_back({one.size.value, one.written_by, one.read_by});
    return pieces;
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

/// The options of a step. A requested algorithm applies to steps that multiply; sums and
/// conversions of one input choose their own, unless the reference is requested.
contract_options options_of(const request &asked, const drafted_step &step, int threads) {
    contract_options options = asked.options;
    options.alpha = 1.0;
    options.beta = std::nullopt;
    options.tuning = tuning::estimate; // tuned later, once the steps are decided
    options.threads = threads;
    options.diagonal_output = asked.options.diagonal_output && step.is_last();
    if (!step.is_last())
        options.epilogue = nullptr;
    if (step.operands.size() == 1 && options.algorithm != algorithm::reference)
        options.algorithm = algorithm::automatic;
    return options;
}

/// Plans of all steps, each within its own limit.
struct planned_steps {
    std::vector<sequence_step> steps; ///< not yet placed in memory
    /// By step: the workspace that it would need; 0 if it was planned.
    std::vector<index_t> refused;

    bool complete() const noexcept { return steps.size() == refused.size(); }
};

template <class Limit>
planned_steps plan_steps(const request &asked, const sequence_draft &draft, const Limit &limit_of) {
    planned_steps planned;
    for (std::size_t s = 0; s < draft.steps.size(); ++s) {
        contract_options options = options_of(asked, draft.steps[s], asked.options.threads);
        options.workspace_limit = bytes(std::max<index_t>(limit_of(s), 0));
        planned.refused.push_back(0);
        try {
            planned.steps.push_back({draft.steps[s], plan_step(asked, draft, s, options), 0});
        } catch (const workspace_refusal &refusal) {
            planned.refused.back() = refusal.least().value;
        }
    }
    return planned;
}

/// Lays out everything and sets workspace and offsets.
void place(sequence &made) {
    std::vector<lifetime> pieces = lifetimes_of(made.intermediates);
    for (std::size_t s = 0; s < made.steps.size(); ++s)
        pieces.push_back(
            {base::round_up(made.steps[s].plan.workspace_size().value, base::workspace_alignment),
             s, s});
    const arena_layout arena(std::move(pieces));
    index_t size = 0;
    for (std::size_t i = 0; i < made.intermediates.size(); ++i) {
        made.offsets.push_back(arena.offset(i));
        size = std::max(size, arena.offset(i) + made.intermediates[i].size.value);
    }
    for (std::size_t s = 0; s < made.steps.size(); ++s) {
        sequence_step &step = made.steps[s];
        step.workspace_offset = arena.offset(made.intermediates.size() + s);
        size = std::max(size, step.workspace_offset + step.plan.workspace_size().value);
    }
    made.workspace = bytes(size);
}

/// Gives every step what the intermediates alive at that time leave, then places everything
/// together. No other method needs less, if the placement succeeds.
attempt place_together(const request &asked, const sequence_draft &draft, byte_count limit) {
    std::vector<index_t> alive(draft.steps.size(), 0);
    for (const drafted_intermediate &one : draft.intermediates)
        for (std::size_t s = one.written_by; s <= one.read_by; ++s)
            alive[s] = add(alive[s], one.size.value);
    planned_steps planned =
        plan_steps(asked, draft, [&](std::size_t step) { return limit.value - alive[step]; });
    if (!planned.complete()) {
        index_t least = 0;
        for (std::size_t s = 0; s < alive.size(); ++s)
            least = std::max(least, add(alive[s], planned.refused[s]));
        return {std::nullopt, bytes(least)};
    }
    sequence made;
    made.steps = std::move(planned.steps);
    made.intermediates = draft.intermediates;
    place(made);
    const byte_count size = made.workspace;
    return size <= limit ? attempt{std::move(made), size} : attempt{std::nullopt, size};
}

/// Places the intermediates first, and gives every step the largest hole. This may need more
/// memory, but its need is known in advance: it succeeds with `least` as the limit.
attempt place_around(const request &asked, const sequence_draft &draft, byte_count limit) {
    const arena_layout arena(lifetimes_of(draft.intermediates));
    planned_steps planned = plan_steps(asked, draft, [&](std::size_t step) {
        return std::max(arena.largest_hole(step), limit.value - arena.top(step));
    });
    if (!planned.complete() || arena.size() > limit.value) {
        index_t least = arena.size();
        for (std::size_t s = 0; s < planned.refused.size(); ++s)
            if (planned.refused[s] > arena.largest_hole(s))
                least = std::max(least, add(arena.top(s), planned.refused[s]));
        return {std::nullopt, bytes(least)};
    }
    sequence made;
    made.steps = std::move(planned.steps);
    made.intermediates = draft.intermediates;
    index_t size = arena.size();
    for (std::size_t i = 0; i < draft.intermediates.size(); ++i)
        made.offsets.push_back(arena.offset(i));
    for (std::size_t s = 0; s < made.steps.size(); ++s) {
        const index_t needs = made.steps[s].plan.workspace_size().value;
        made.steps[s].workspace_offset = arena.place(s, needs);
        size = std::max(size, add(made.steps[s].workspace_offset, needs));
    }
    made.workspace = bytes(size);
    return {std::move(made), bytes(size)};
}

/// The smallest limit found for which a sequence exists. place_together() may have needed more than
/// it hoped for; that amount is tried next, as long as it is less than `sure`.
byte_count least_of(const request &asked, const sequence_draft &draft, byte_count hoped_for,
                    byte_count sure) {
    constexpr int most_tries = 8;
    for (int i = 0; i < most_tries && asked.limit < hoped_for && hoped_for < sure; ++i) {
        const attempt found = place_together(asked, draft, hoped_for);
        if (found.made)
            return hoped_for;
        if (found.least <= hoped_for)
            break;
        hoped_for = found.least;
    }
    return sure;
}

} // namespace

sequence_attempt try_path(const sequence_request &asked, const einsum_impl::network &net,
                          const einsum_impl::contraction_path &path) {
    const sequence_draft draft =
        make_draft(asked.spec, asked.inputs, {asked.d, asked.computed}, net, path);
    attempt found = place_together(asked, draft, asked.limit);
    if (!found.made) {
        const byte_count hoped_for = found.least;
        found = place_around(asked, draft, asked.limit);
        if (!found.made)
            found.least = least_of(asked, draft, hoped_for, found.least);
    }
    if (found.made)
        found.made->path = path;
    return found;
}

void tune_steps(const sequence_request &asked, sequence &made) {
    sequence_draft draft;
    draft.intermediates = made.intermediates;
    for (const sequence_step &step : made.steps)
        draft.steps.push_back(step.draft);
    for (std::size_t s = 0; s < made.steps.size(); ++s) {
        contraction_plan &plan = made.steps[s].plan;
        contract_options options = options_of(asked, draft.steps[s], plan.summary().threads);
        options.tuning = asked.options.tuning;
        options.workspace_limit = plan.workspace_size();
        plan = plan_step(asked, draft, s, options);
    }
}

} // namespace tenfold::contract_impl
