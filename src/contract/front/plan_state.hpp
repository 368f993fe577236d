// The state of a contraction plan, and the functions that fill and use it.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/contract.hpp>
#include <tenfold/transpose.hpp>

#include "base/internals.hpp"
#include "base/scalars.hpp"
#include "base/workspace.hpp"
#include "contract/choose/candidate.hpp"
#include "contract/choose/planner.hpp"
#include "contract/epilogues/planned_epilogue.hpp"
#include "contract/front/small_matrices.hpp"
#include "contract/sequences/sequence.hpp"
#include "einsum/problem/problem.hpp"
#include "tensor/overlap.hpp"

namespace tenfold::contract_impl {

/// What every execution asks of its problem. It is found out once, because executing may take only
/// nanoseconds.
struct problem_facts {
    problem_facts() = default;
    explicit problem_facts(const einsum_impl::contraction_problem &problem) noexcept;

    bool empty_output = false;
    bool empty_sum = false;
    std::array<tensor_impl::byte_range, einsum_impl::tensor_count> bytes; ///< that are touched
};

/// D = beta op(C): the whole work if nothing is multiplied, and the first step if C is not D.
/// Thread-safe.
class copy_of_c {
public:
    copy_of_c() = default;
    copy_of_c(const copy_of_c &) noexcept {} ///< plans anew
    copy_of_c &operator=(const copy_of_c &) = delete;

    /// Plans it, once.
    const transpose_plan &get(const einsum_impl::contraction_problem &problem,
                              const plan_environment &environment) const;
    std::size_t footprint() const noexcept; ///< of what get() made by now

private:
    mutable std::once_flag once_;
    mutable std::optional<transpose_plan> plan_;
};

/// For one or two inputs: a problem and the candidate that solves it. For more: a sequence of
/// plans; then `problem`, `facts`, `chosen` and `copy_c` are empty.
struct plan_state {
    einsum_impl::contraction_problem problem;
    problem_facts facts;
    plan_environment environment;
    plan_summary summary;
    std::string text;                                   ///< the expression
    std::vector<einsum_impl::shared_name> shared_names; ///< of its operands
    scalar scale = 1.0; ///< the expression's factor of alpha, sign included
    /// D is the conjugate. It is planned with everything else conjugated: conj(alpha A B + beta C)
    /// = conj(alpha) conj(A) conj(B) + conj(beta) conj(C).
    bool conj_output = false;
    candidate_ptr chosen;
    std::shared_ptr<const planned_epilogue> finish; ///< the environment's; null: none
    /// In reproducible plans D = op(C), if C is not D; `chosen` multiplies with beta. Planned when
    /// it is needed first where the environment wants only the choice.
    copy_of_c copy_c;
    std::optional<contract_impl::sequence> sequence;
    std::string tuning; ///< lines of explain() about tuning; empty: not tuned

    /// What multiplies the planned product, and the planned C, for the caller's alpha and beta.
    scalar own_alpha(scalar alpha) const noexcept {
        const scalar scaled = base::scaled(scale, alpha);
        return conj_output ? std::conj(scaled) : scaled;
    }
    scalar own_beta(scalar beta) const noexcept { return conj_output ? std::conj(beta) : beta; }
};

/// The number of inputs that an execution takes.
inline std::size_t inputs_of(const plan_state &state) noexcept {
    if (state.sequence)
        return state.sequence->input_elements.size();
    return state.problem.unary ? 1 : 2;
}

/// How a status names an operand: an input by its number, from 0, or the output by the next one.
inline char name_of_operand(const plan_state &state, std::size_t number) noexcept {
    if (number == inputs_of(state))
        return 'D';
    return state.sequence ? number_of_input(number) : number == 0 ? 'A' : 'B';
}

/// errc::workspace_too_small, with the smallest sufficient limit.
class workspace_refusal : public error {
public:
    /// `how` is appended to the message.
    workspace_refusal(const std::string &who, byte_count least, byte_count limit,
                      const std::string &how = "");
    byte_count least() const noexcept { return *details().least; }
};

/// Chooses the requested algorithm, or the cheapest within the workspace limit; for reproducible
/// plans the one whose bits depend on extents and data only. If the best
/// candidate exceeds the limit, prices candidates shaped by it (slices, smaller tiles and panels),
/// also with fewer threads. Fills state.chosen, the summary and the threads of the environment.
/// Throws errc::unsupported or workspace_refusal.
void choose(plan_state &state, const contraction_spec &spec, algorithm requested);

/// errc::type_mismatch if alpha or beta cannot be of D's type.
status check_scalars(const einsum_impl::contraction_problem &problem, scalar alpha,
                     scalar beta) noexcept;

/// The checks of execute() that concern scalars, C and D; they precede those of the inputs.
status check_output(const plan_state &state, scalar alpha, scalar beta, const void *c,
                    const void *d) noexcept;

/// errc::invalid_argument, with the second operand, if two operands of one name lie in different
/// places.
status check_shared_names(const plan_state &state, std::span<const void *const> inputs,
                          const void *d) noexcept;

/// What one execution uses beside what its plan says.
struct execution_means {
    std::span<std::byte> workspace = {};
    byte_count workspace_limit{INT64_MAX}; ///< of a batch; one execution fits
    const context *ctx = nullptr;          ///< whose pool lends workspace; null: the plan's
    /// Gets flops, bytes and workspace, if there is one.
    execution_record *record = nullptr;
};

/// The workspace of an execution: the caller's if it is large enough, else a small buffer on the
/// stack, which needs no lock, else a loan from the pool.
struct workspace_use {
    workspace_use(const plan_state &state, const execution_means &with) noexcept;
    workspace_use(const workspace_use &) = delete;
    workspace_use &operator=(const workspace_use &) = delete;

    base::workspace_lease lease;
    std::byte *memory;
    bool missing = false; ///< there is no memory
    alignas(base::workspace_alignment) std::array<std::byte, 8 << 10> little; ///< uninitialised
};

/// For one or two inputs: checks the arguments, then executes (see contraction_plan::execute).
status execute(const plan_state &state, const sources &from, void *d,
               const execution_means &with) noexcept;

/// A line about it; empty if D is not the conjugate.
std::string describe_conj_output(const plan_state &state);
std::string explain(const plan_state &state);

/// What make_plan() makes.
std::unique_ptr<const plan_state> make_state(const contraction_spec &spec,
                                             std::span<const input> inputs, const input &c,
                                             const output &d, const contract_options &options);

/// Plans a contraction that is executed and not explained: make_plan()'s choice, without what only
/// texts need.
contraction_plan make_plain_plan(const contraction_spec &spec, std::span<const input> inputs,
                                 const input &c, const output &d, const contract_options &options);

/// Bytes of memory that a plan occupies, about (base/footprint.hpp).
std::size_t footprint(const contraction_plan &plan);

/// What a contraction of more than two inputs reads.
struct sequence_sources {
    scalar alpha;
    std::span<const void *const> inputs;
    scalar beta;
    const void *c;
    std::span<const void *const> epilogue = {}; ///< data of its steps
};

/// The same for more than two inputs.
status execute_sequence(const plan_state &state, const sequence_sources &from, void *d,
                        const execution_means &with) noexcept;
std::string explain_sequence(const plan_state &state);

/// A plan that is made, or a small product of which nobody has asked for more than executions.
class kept_plan {
public:
    explicit kept_plan(std::unique_ptr<const plan_state> made) noexcept : whole_(made.release()) {}
    explicit kept_plan(small_plan small) noexcept : small_(std::move(small)) {}
    kept_plan(const kept_plan &) = delete;
    kept_plan &operator=(const kept_plan &) = delete;
    ~kept_plan() { delete whole_.load(std::memory_order_acquire); }

    /// Null: the whole plan is there.
    const small_plan *small() const noexcept { return small_ ? &*small_ : nullptr; }

    /// Makes the rest of a small plan, once. Throws std::bad_alloc. Thread-safe.
    const plan_state &whole() const {
        const plan_state *made = whole_.load(std::memory_order_acquire);
        return made != nullptr ? *made : make_whole();
    }
    /// Null if there is no memory for that.
    const plan_state *find_whole() const noexcept;

private:
    const plan_state &make_whole() const;

    std::optional<small_plan> small_;
    mutable std::atomic<const plan_state *> whole_ = nullptr; ///< owned
};

} // namespace tenfold::contract_impl

struct tenfold::contraction_plan::state : contract_impl::kept_plan {
    using kept_plan::kept_plan;
};

namespace tenfold::contract_impl {

/// `kept`: what a kept_plan is made of.
template <class Kept> contraction_plan plan_from(Kept kept) {
    using state = internals::state_of<contraction_plan>;
    return internals::from<contraction_plan>(std::make_shared<const state>(std::move(kept)));
}

/// Throws std::bad_alloc if it is small and there is no memory for the rest of it.
inline const plan_state &whole_of(const contraction_plan &plan) {
    return internals::of(plan).whole();
}

} // namespace tenfold::contract_impl
