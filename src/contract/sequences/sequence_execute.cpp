#include "base/scalars.hpp"
#include "base/work.hpp"
#include "contract/front/plan_state.hpp"
#include "contract/sequences/sequence.hpp"
#include "tensor/overlap.hpp"

namespace tenfold::contract_impl {
namespace {

const plan_state &last_plan(const sequence &steps) noexcept {
    return whole_of(steps.steps.back().plan);
}

data_type output_type(const sequence &steps) noexcept {
    return last_plan(steps).problem.type[einsum_impl::D];
}

bool multiplies(const sequence &steps, scalar alpha) noexcept {
    return !steps.empty && base::round_to(output_type(steps), alpha) != 0.0;
}

status check_inputs(const sequence &steps, std::span<const void *const> inputs,
                    const void *d) noexcept {
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i] == nullptr)
            return status(errc::null_pointer, number_of_input(i));
    const tensor_impl::placement written{d, size_of(output_type(steps)),
                                         &last_plan(steps).problem.touched[einsum_impl::D]};
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (tensor_impl::share_memory(
                {inputs[i], size_of(steps.input_types[i]), &steps.input_elements[i]}, written))
            return status(errc::overlap, number_of_input(i));
    return {};
}

status check(const sequence &steps, const sequence_sources &from, const void *d) noexcept {
    const status of_output = check_output(last_plan(steps), from.alpha, from.beta, from.c, d);
    if (!of_output || last_plan(steps).facts.empty_output)
        return of_output;
    if (const auto &finish = last_plan(steps).finish; finish != nullptr)
        if (const status data = finish->check(from.epilogue, d); !data)
            return data;
    if (!multiplies(steps, from.alpha))
        return {};
    return check_inputs(steps, from.inputs, d);
}

void record_work(const plan_state &state, const sequence_sources &from,
                 execution_record &record) noexcept {
    const einsum_impl::contraction_problem &last = last_plan(*state.sequence).problem;
    record.flops = state.summary.flops;
    record.bytes = state.summary.bytes;
    if (base::round_to(last.type[einsum_impl::D], from.beta) != 0.0)
        record.bytes += static_cast<double>(last.touched[einsum_impl::C].size()) *
                        static_cast<double>(size_of(last.type[einsum_impl::C]));
}

status run(const sequence &steps, const sequence_sources &from, void *d,
           std::byte *workspace) noexcept {
    double seconds = 1e-12;
    for (const sequence_step &step : steps.steps)
        seconds += step.plan.summary().seconds;
    for (const sequence_step &step : steps.steps) {
        if (base::work_part::stops())
            return {};
        const base::work_part part(step.plan.summary().seconds / seconds);
        std::array<const void *, 2> operands{};
        for (std::size_t i = 0; i < step.draft.operands.size(); ++i) {
            const operand_place place = step.draft.operands[i];
            operands[i] = place.is_input ? from.inputs[place.number]
                                         : workspace + steps.offsets[place.number];
        }
        const std::span own(workspace + step.workspace_offset,
                            static_cast<std::size_t>(step.plan.workspace_size().value));
        // The last step writes D and cannot fail any more, because everything was checked.
        const status done =
            step.draft.is_last()
                ? step.plan.execute(
                      {.alpha = from.alpha,
                       .inputs = std::span(operands).first(step.draft.operands.size()),
                       .beta = from.beta,
                       .c = from.c,
                       .d = d,
                       .epilogue = from.epilogue},
                      {.workspace = own})
                : step.plan.execute(1.0, operands[0], operands[1], 0.0, nullptr,
                                    workspace + steps.offsets[*step.draft.result], own);
        if (!done)
            return done;
    }
    return {};
}

} // namespace

status execute_sequence(const plan_state &state, const sequence_sources &from, void *d,
                        const execution_means &with) noexcept {
    const sequence &steps = *state.sequence;
    if (const status arguments = check(steps, from, d); !arguments)
        return arguments;
    if (last_plan(steps).facts.empty_output)
        return {};
    if (!multiplies(steps, from.alpha)) // no input is read, so only the last step is needed
        return execute(last_plan(steps), {0.0, nullptr, nullptr, from.beta, from.c, from.epilogue},
                       d, with);

    if (const status names = check_shared_names(state, from.inputs, d); !names)
        return names;
    workspace_use space(state, with);
    if (space.missing)
        return status(errc::out_of_memory);
    if (with.record != nullptr)
        record_work(state, from, *with.record);
    return run(steps, from, d, space.memory);
}

} // namespace tenfold::contract_impl
