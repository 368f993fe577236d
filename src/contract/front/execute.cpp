#include <algorithm>
#include <memory>
#include <optional>

#include "base/context_of.hpp"
#include "base/scalars.hpp"
#include "base/work.hpp"
#include "base/workspace.hpp"
#include "contract/front/plan_state.hpp"
#include "tensor/overlap.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::C;
using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::letter;
using einsum_impl::tensor_id;

struct operands {
    std::array<const void *, einsum_impl::tensor_count> data;
    std::array<bool, einsum_impl::tensor_count> used; ///< read, or written
};

status check_scalars(const contraction_problem &problem, scalar alpha, scalar beta) noexcept {
    const bool fit = base::fits(problem.type[D], alpha) && base::fits(problem.type[D], beta);
    return fit ? status() : status(errc::type_mismatch, 'D');
}

status check_pointers(const operands &tensors) noexcept {
    for (const tensor_id t : {A, B, C, D})
        if (tensors.used[t] && tensors.data[t] == nullptr)
            return status(errc::null_pointer, letter(t));
    return {};
}

status check_overlap(const plan_state &state, const operands &tensors) noexcept {
    const contraction_problem &problem = state.problem;
    const auto is_apart = [&](tensor_id t) {
        return tensor_impl::are_apart(tensors.data[t], state.facts.bytes[t], tensors.data[D],
                                      state.facts.bytes[D]);
    };
    const auto placed = [&](tensor_id t) {
        return tensor_impl::placement{tensors.data[t], size_of(problem.type[t]),
                                      &problem.touched[t]};
    };
    for (const tensor_id t : {A, B, C}) {
        const bool same_tensor =
            t == C && tensors.data[C] == tensors.data[D] && problem.same_c_and_d;
        if (tensors.used[t] && !same_tensor && !is_apart(t) &&
            tensor_impl::share_memory(placed(t), placed(D)))
            return status(errc::overlap, letter(t));
    }
    return {};
}

/// The first aligned address in the caller's workspace; null if the rest is too small.
std::byte *aligned_part(std::span<std::byte> workspace, byte_count needed) noexcept {
    void *from = workspace.data();
    std::size_t left = workspace.size();
    return static_cast<std::byte *>(std::align(static_cast<std::size_t>(base::workspace_alignment),
                                               static_cast<std::size_t>(needed.value), from, left));
}

/// Null if there is no memory to plan it.
const transpose_plan *plan_of_copy(const plan_state &state) noexcept {
    try {
        return &state.copy_c.get(state.problem, state.environment);
    } catch (...) {
        return nullptr;
    }
}

} // namespace

problem_facts::problem_facts(const contraction_problem &problem) noexcept
    : empty_output(problem.empty_output()), empty_sum(problem.empty_sum()) {
    for (std::size_t t = 0; t < bytes.size(); ++t)
        bytes[t] = tensor_impl::bytes_of(problem.touched[t], size_of(problem.type[t]));
}

workspace_use::workspace_use(const plan_state &state, std::span<std::byte> given) noexcept
    : memory(aligned_part(given, state.summary.workspace)) {
    if (memory == nullptr)
        memory = aligned_part(little, state.summary.workspace);
    if (memory != nullptr)
        return;
    lease = base::pool_of(*state.environment.ctx).acquire(state.summary.workspace);
    memory = lease.memory().data();
    missing = !lease;
}

status check_output(const plan_state &state, scalar alpha, scalar beta, const void *c,
                    const void *d) noexcept {
    const contraction_problem &problem = state.problem;
    if (const status scalars = check_scalars(problem, alpha, beta); !scalars)
        return scalars;
    if (state.facts.empty_output)
        return {};
    const bool reads_c = base::round_to(problem.type[D], beta) != 0.0;
    const operands tensors{{nullptr, nullptr, d, c}, {false, false, true, reads_c}};
    if (const status pointers = check_pointers(tensors); !pointers)
        return pointers;
    return check_overlap(state, tensors);
}

status execute(const plan_state &state, const sources &from, void *d,
               std::span<std::byte> workspace) noexcept {
    const contraction_problem &problem = state.problem;
    if (const status scalars = check_scalars(problem, from.alpha, from.beta); !scalars)
        return scalars;
    if (state.facts.empty_output)
        return {};
    sources x = from;
    x.alpha = base::round_to(problem.type[D], from.alpha);
    x.beta = base::round_to(problem.type[D], from.beta);

    const bool multiplies = x.alpha != 0.0 && !state.facts.empty_sum;
    const bool reads_c = x.beta != 0.0;
    const operands tensors{{x.a, x.b, d, x.c},
                           {multiplies, multiplies && !problem.unary, true, reads_c}};
    if (const status pointers = check_pointers(tensors); !pointers)
        return pointers;
    if (const status overlap = check_overlap(state, tensors); !overlap)
        return overlap;
    std::optional<bound_epilogue> finish;
    if (state.finish != nullptr) {
        if (const status data = state.finish->check(from.epilogue, d); !data)
            return data;
        x.finish = &finish.emplace(*state.finish, from.epilogue, d);
    }

    const bool reproducible = state.environment.reproducible;
    const bool c_is_d = x.c == d && problem.same_c_and_d && !problem.conjugate[C];
    const bool only_copies = !multiplies && !reproducible;
    const bool keeps = only_copies && c_is_d && x.beta == 1.0; // D
    const bool copies =                                        // C, before all else
        (only_copies && !keeps) || (reads_c && !c_is_d && !state.chosen->reads_any_c());
    const transpose_plan *const copy = copies ? plan_of_copy(state) : nullptr;
    if (copies && copy == nullptr)
        return status(errc::out_of_memory);
    if (only_copies) {
        const status copied = keeps ? status() : copy->execute(x.beta, x.c, 0.0, d);
        if (finish && copied && !base::work_part::stops())
            finish->pass(state.environment.threads);
        return copied;
    }
    if (!multiplies)
        x.alpha = 0.0;

    workspace_use space(state, workspace);
    if (space.missing)
        return status(errc::out_of_memory);
    if (problem.unary)
        x.b = base::one_of(problem.type[D]);

    // D is written from here on.
    if (state.chosen->reads_any_c()) {
        state.chosen->execute(x, d, space.memory);
        return {};
    }
    double share = 1; // of the multiplication
    if (copies) {
        const double copying = copy->predicted_seconds();
        share = state.chosen->seconds() / std::max(1e-12, copying + state.chosen->seconds());
        const base::work_part part(1 - share);
        const scalar factor = reproducible ? scalar(1.0) : x.beta;
        if (const status copied = copy->execute(factor, x.c, 0.0, d); !copied)
            return copied;
        if (!reproducible)
            x.beta = 1.0;
    }
    x.c = d;
    const base::work_part part(share);
    state.chosen->execute(x, d, space.memory);
    return {};
}

} // namespace tenfold::contract_impl
