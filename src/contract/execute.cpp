#include "base/workspace.hpp"
#include "contract/ones.hpp"
#include "contract/plan_state.hpp"
#include "contract/scalars.hpp"
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
    if (!is_complex(problem.type[D]) && (alpha.imag() != 0 || beta.imag() != 0))
        return status(errc::type_mismatch, 'D');
    return {};
}

status check_pointers(const operands &tensors) noexcept {
    for (const tensor_id t : {A, B, C, D})
        if (tensors.used[t] && tensors.data[t] == nullptr)
            return status(errc::null_pointer, letter(t));
    return {};
}

status check_overlap(const contraction_problem &problem, const operands &tensors) noexcept {
    const auto placed = [&](tensor_id t) {
        return tensor_impl::placement{tensors.data[t], size_of(problem.type[t]), &problem.shape[t]};
    };
    for (const tensor_id t : {A, B, C}) {
        const bool same_tensor =
            t == C && tensors.data[C] == tensors.data[D] && problem.same_c_and_d;
        if (tensors.used[t] && !same_tensor && tensor_impl::share_memory(placed(t), placed(D)))
            return status(errc::overlap, letter(t));
    }
    return {};
}

} // namespace

status execute(const contraction_plan::state &state, scalar alpha, const void *a, const void *b,
               scalar beta, const void *c, void *d, std::span<std::byte> workspace) noexcept {
    const contraction_problem &problem = state.problem;
    if (const status scalars = check_scalars(problem, alpha, beta); !scalars)
        return scalars;
    if (problem.empty_output())
        return {};
    alpha = round_to(problem.type[D], alpha);
    beta = round_to(problem.type[D], beta);

    const bool multiplies = alpha != 0.0 && !problem.empty_sum();
    const bool reads_c = beta != 0.0;
    const operands tensors{{a, b, c, d}, {multiplies, multiplies && !problem.unary, reads_c, true}};
    if (const status pointers = check_pointers(tensors); !pointers)
        return pointers;
    if (const status overlap = check_overlap(problem, tensors); !overlap)
        return overlap;

    const auto needed = static_cast<std::size_t>(state.summary.workspace.value);
    base::workspace_lease lease;
    if (multiplies && workspace.size() < needed) {
        lease = state.environment.ctx->pool().acquire(state.summary.workspace);
        if (!lease)
            return status(errc::out_of_memory);
        workspace = lease.memory();
    }

    if (problem.unary)
        b = one(problem.type[D]);

    // From here on D is written.
    if (state.chosen->reads_any_c()) {
        state.chosen->execute(alpha, a, b, beta, c, d, workspace.data());
        return {};
    }
    const bool c_is_d = c == d && problem.same_c_and_d && !problem.conjugate[C];
    if (!multiplies)
        return c_is_d || !reads_c ? state.copy_c->execute(beta, d, 0.0, d)
                                  : state.copy_c->execute(beta, c, 0.0, d);
    if (reads_c && !c_is_d) {
        if (const status copied = state.copy_c->execute(beta, c, 0.0, d); !copied)
            return copied;
        beta = 1.0;
    }
    state.chosen->execute(alpha, a, b, beta, d, d, workspace.data());
    return {};
}

} // namespace tenfold::contract_impl
