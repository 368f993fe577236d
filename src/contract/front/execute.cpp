#include <algorithm>
#include <memory>
#include <optional>

#include "base/context_of.hpp"
#include "base/scalars.hpp"
#include "base/work.hpp"
#include "base/workspace.hpp"
#include "contract/front/checked_execution.hpp"
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

void record_work(const contraction_problem &problem, const operands &tensors, double flops,
                 execution_record &record) noexcept {
    for (const tensor_id t : {A, B, C, D})
        if (tensors.used[t])
            record.bytes += static_cast<double>(problem.touched[t].size()) *
                            static_cast<double>(size_of(problem.type[t]));
    if (tensors.used[A])
        record.flops = flops;
}

/// The first aligned address in the caller's workspace; null if the rest is too small.
std::byte *aligned_part(std::span<std::byte> workspace, byte_count needed) noexcept {
    void *from = workspace.data();
    std::size_t left = workspace.size();
    return static_cast<std::byte *>(std::align(static_cast<std::size_t>(base::workspace_alignment),
                                               static_cast<std::size_t>(needed.value), from, left));
}

} // namespace

status check_scalars(const contraction_problem &problem, scalar alpha, scalar beta) noexcept {
    const bool fit = base::fits(problem.type[D], alpha) && base::fits(problem.type[D], beta);
    return fit ? status() : status(errc::type_mismatch, 'D');
}

checked_execution::checked_execution(const plan_state &state, const sources &from) noexcept
    : state_(state), x_(from) {
    const data_type type = state.problem.type[D];
    x_.alpha = base::round_to(type, from.alpha);
    x_.beta = base::round_to(type, from.beta);
    multiplies_ = x_.alpha != 0.0 && !state.facts.empty_sum;
    only_copies_ = !multiplies_ && !state.environment.reproducible && !is_integer(type);
    if (!multiplies_)
        x_.alpha = 0.0;
}

bool checked_execution::copies(const void *c, const void *d) const noexcept {
    const bool c_is_d = c == d && state_.problem.same_c_and_d && !state_.problem.conjugate[C];
    if (only_copies_)
        return !(c_is_d && x_.beta == 1.0); // else D stays as it is
    return reads_c() && !c_is_d && !state_.chosen->reads_any_c();
}

bool checked_execution::plan_copy() noexcept {
    try {
        copy_ = &state_.copy_c.get(state_.problem, state_.environment);
        return true;
    } catch (...) {
        return false;
    }
}

sources checked_execution::with_scalars(const sources &at) const noexcept {
    sources x = at;
    x.alpha = x_.alpha;
    x.beta = x_.beta;
    if (state_.problem.unary && !is_integer(state_.problem.computed))
        x.b = base::one_of(state_.problem.computed);
    return x;
}

status checked_execution::run(const sources &at, void *d, std::byte *workspace) const noexcept {
    if (only_copies_) {
        const status copied = copies(at.c, d) ? copy_->execute(x_.beta, at.c, 0.0, d) : status();
        if (at.finish != nullptr && copied && !base::work_part::stops())
            at.finish->pass(state_.environment.threads);
        return copied;
    }
    sources x = with_scalars(at);
    if (state_.chosen->reads_any_c()) {
        state_.chosen->execute(x, d, workspace);
        return {};
    }
    double share = 1; // of the multiplication
    if (copies(at.c, d)) {
        const double copying = copy_->predicted_seconds();
        share = state_.chosen->seconds() / std::max(1e-12, copying + state_.chosen->seconds());
        const base::work_part part(1 - share);
        // A product with beta could be rounded here, and again where it is added to.
        const bool keeps = state_.environment.reproducible || state_.problem.rounds_d();
        const scalar factor = keeps ? scalar(1.0) : x.beta;
        if (const status copied = copy_->execute(factor, x.c, 0.0, d); !copied)
            return copied;
        if (!keeps)
            x.beta = 1.0;
    }
    x.c = d;
    const base::work_part part(share);
    state_.chosen->execute(x, d, workspace);
    return {};
}

problem_facts::problem_facts(const contraction_problem &problem) noexcept
    : empty_output(problem.empty_output()), empty_sum(problem.empty_sum()) {
    for (std::size_t t = 0; t < bytes.size(); ++t)
        bytes[t] = tensor_impl::bytes_of(problem.touched[t], size_of(problem.type[t]));
}

workspace_use::workspace_use(const plan_state &state, const execution_means &with) noexcept
    : memory(aligned_part(with.workspace, state.summary.workspace)) {
    if (with.record != nullptr)
        with.record->workspace = state.summary.workspace;
    if (memory == nullptr)
        memory = aligned_part(little, state.summary.workspace);
    if (memory != nullptr)
        return;
    const context &lender = with.ctx != nullptr ? *with.ctx : *state.environment.ctx;
    lease = base::pool_of(lender).acquire(state.summary.workspace);
    memory = lease.memory().data();
    missing = !lease;
}

status check_shared_names(const plan_state &state, std::span<const void *const> inputs,
                          const void *d) noexcept {
    const auto at = [&](std::size_t number) { return number < inputs.size() ? inputs[number] : d; };
    for (const einsum_impl::shared_name &shared : state.shared_names)
        if (at(shared.first) != at(shared.second))
            return status(errc::invalid_argument, name_of_operand(state, shared.second));
    return {};
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

/// Flattened, because small products take some 80 ns, of which calls between the checks and the
/// work would be 5.
[[gnu::flatten]] status execute(const plan_state &state, const sources &from, void *d,
                                const execution_means &with) noexcept {
    const contraction_problem &problem = state.problem;
    if (const status scalars = check_scalars(problem, from.alpha, from.beta); !scalars)
        return scalars;
    if (state.facts.empty_output)
        return {};
    checked_execution work(state, from);
    const operands tensors{{from.a, from.b, d, from.c},
                           {work.reads_a(), work.reads_b(), true, work.reads_c()}};
    if (const status pointers = check_pointers(tensors); !pointers)
        return pointers;
    if (const status overlap = check_overlap(state, tensors); !overlap)
        return overlap;
    if (!state.shared_names.empty() && work.reads_a()) {
        const std::array inputs{from.a, from.b};
        const std::span its = std::span(inputs).first(problem.unary ? 1 : 2);
        if (const status names = check_shared_names(state, its, d); !names)
            return names;
    }
    sources at = from;
    std::optional<bound_epilogue> finish;
    if (state.finish != nullptr) {
        if (const status data = state.finish->check(from.epilogue, d); !data)
            return data;
        at.finish = &finish.emplace(*state.finish, from.epilogue, d);
    }
    if (with.record != nullptr)
        record_work(problem, tensors, state.summary.flops, *with.record);

    if (work.copies(from.c, d) && !work.plan_copy())
        return status(errc::out_of_memory);
    if (work.only_copies())
        return work.run(at, d, nullptr);
    workspace_use space(state, with);
    if (space.missing)
        return status(errc::out_of_memory);
    return work.run(at, d, space.memory);
}

} // namespace tenfold::contract_impl
