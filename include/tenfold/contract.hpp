// Contractions: D = alpha * op(A) * op(B) + beta * op(C) over labelled modes, and products of more
// than two inputs.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/context.hpp>
#include <tenfold/einsum.hpp>
#include <tenfold/error.hpp>
#include <tenfold/operand.hpp>

namespace tenfold {

struct execution_control; // <tenfold/control.hpp>

struct contract_options {
    scalar alpha = 1.0; ///< multiplies the scalar in the expression
    std::optional<scalar> beta =
        std::nullopt; ///< empty: 0, or 1 where the expression says "+=" or "-="
    tenfold::algorithm algorithm = algorithm::automatic;
    /// `measure`: up to about 1 s when the plan is made; `patient`: 10 s. On scratch memory; what
    /// is found is kept in the context's wisdom. Of more than two inputs, so long for each step.
    tenfold::tuning tuning = tuning::estimate;
    std::optional<byte_count> workspace_limit = std::nullopt; ///< empty: the context's
    std::optional<tenfold::backend> backend = std::nullopt;   ///< empty: the context's
    int threads = 0;                                          ///< 0: the context's
    std::optional<bool> reproducible = std::nullopt;          ///< empty: the context's
    bool diagonal_output = false; ///< a label twice in D writes D's diagonal only
    const context *ctx = nullptr; ///< null: context::global(); must outlive plans made with it
    const execution_control *control = nullptr; ///< progress and a stop, of contract(); null: none
};

/// One way that was considered, and what the cost model said of it.
struct candidate_summary {
    tenfold::algorithm algorithm;
    double seconds; ///< predicted
    byte_count workspace;
    std::string description; ///< what it would do, or why it is not possible
    bool possible = true;
};

/// One step on the way from more than two inputs to D: a contraction of two tensors, or a sum over
/// labels of one.
struct step_summary {
    std::string expression; ///< "il=ik*kl", scalars left out
    /// What stands there: an input by its number, from 0; the result of an earlier step by the
    /// number of inputs plus the step's.
    std::vector<std::size_t> operands;
    tenfold::algorithm algorithm;
    index_t m, n, k, batch;
    double flops;
    double seconds;       ///< predicted
    byte_count workspace; ///< of this step, beside the intermediates
    byte_count result;    ///< of the tensor it makes
};

/// What a plan will do, as numbers. Of more than two inputs, algorithm, m, n, k and batch are those
/// of the step with the most flops; everything else is of all steps.
struct plan_summary {
    tenfold::algorithm algorithm;
    index_t m, n, k, batch; ///< products of the groups' extents
    double flops;
    double bytes;         ///< the inputs and D, each once
    double seconds;       ///< predicted
    byte_count workspace; ///< intermediates included
    int threads;
    std::vector<candidate_summary> candidates; ///< cheapest first, the chosen one included; of one
                                               ///< or two inputs
    std::vector<step_summary> steps;           ///< of more than two inputs
    double flops_at_once; ///< of all loops of the expression in one nest, without intermediates
    byte_count largest_intermediate;
    /// What would have been chosen if the workspace limit allowed it; empty where it does. Of one
    /// or two inputs.
    std::optional<candidate_summary> without_limit = std::nullopt;
};

/// A contraction decided once and executed many times. A value: cheap to copy, immutable, holds no
/// data pointers; concurrent execute() calls are safe.
class contraction_plan {
public:
    /// D = alpha op(A) op(B) + beta op(C), alpha multiplied with the expression's scalar; beta is
    /// what is given here. With one input, b is null.
    /// beta = 0: c is not read and may be null; alpha = 0: a and b are not read. c may equal d
    /// exactly; otherwise d shares no element with a, b or c. `workspace` is used where it holds
    /// workspace_size() bytes from its first address that is a multiple of 64; otherwise the
    /// context's pool is. On failure the status says why and nothing has been written, but after a
    /// stop by `control` (or null), which returns errc::stopped and leaves D unspecified.
    status execute(scalar alpha, const void *a, const void *b, scalar beta, const void *c, void *d,
                   std::span<std::byte> workspace = {},
                   const execution_control *control = nullptr) const noexcept;
    /// The same for any number of inputs, in the order of the expression.
    status execute(scalar alpha, std::span<const void *const> inputs, scalar beta, const void *c,
                   void *d, std::span<std::byte> workspace = {},
                   const execution_control *control = nullptr) const noexcept;

    /// Bytes that one execution needs beside the tensors, packing buffers and intermediates
    /// included.
    byte_count workspace_size() const noexcept;

    const plan_summary &summary() const noexcept;

    /// Several lines for people: classification, algorithm, sizes, predicted seconds, what was
    /// rejected and by how much.
    std::string explain() const;

    struct state;
    explicit contraction_plan(std::shared_ptr<const state> planned) : state_(std::move(planned)) {}
    const state &internals() const noexcept { return *state_; }

private:
    std::shared_ptr<const state> state_;
};

/// Plans `expression` for tensors with these types, layouts and conjugations; data pointers are
/// not looked at, and alpha and beta are execute()'s, for which expressions are written with "=":
/// "+=" and "-=" say what beta is, and are refused; so is a control. Messages call the output D,
/// also where it is C too, and inputs A and B, or "input 1", "input 2", .. where there are more.
/// Throws tenfold::error: errc::syntax, unknown_label, repeated_label, order_mismatch,
/// extent_mismatch, type_mismatch, invalid_argument (options.alpha, beta or control set, "+=" or
/// "-=", options out of range), overflow, overlap, workspace_too_small, unsupported (also more than
/// 64 modes of one tensor, modes of extent 1 included); and std::bad_alloc where the plan itself,
/// some KiB, finds no memory.
contraction_plan make_plan(std::string_view expression, const input &a, const input &b,
                           const output &c, const contract_options &options = {});
/// Where the expression has three inputs, `c` is the third one, and D is C.
contraction_plan make_plan(std::string_view expression, const input &a, const input &b,
                           const input &c, const output &d, const contract_options &options = {});
contraction_plan make_plan(std::string_view expression, const input &a, const output &c,
                           const contract_options &options = {});
/// `spec` must not update either: its operation is `assign`.
contraction_plan make_plan(const contraction_spec &spec, std::span<const input> inputs,
                           const input &c, const output &d, const contract_options &options = {});

/// Any number of inputs. More than two are contracted two at a time, in the order that takes the
/// fewest multiply-adds within the workspace limit: of up to ten inputs the best one is found,
/// beyond that a good one, greedily and then improved piece by piece. Intermediates are part of the
/// workspace.
contraction_plan make_plan(std::string_view expression, std::span<const input> inputs,
                           const output &c, const contract_options &options = {});
contraction_plan make_plan(std::string_view expression, std::span<const input> inputs,
                           const input &c, const output &d, const contract_options &options = {});

/// C = alpha op(A) op(B) + beta C. Throws as make_plan() does, and when the status is not ok; C is
/// as it was then, but after a stop. What options.control's progress() throws comes out as well.
///     contract("abcd=aebf*dfce", A, B, C, {.alpha = 0.5, .beta = 1.0});
void contract(std::string_view expression, const input &a, const input &b, const output &c,
              const contract_options &options = {});
/// D = alpha op(A) op(B) + beta op(C); where the expression has three inputs, they are a, b and c:
///     contract("abcd=aebf*dfce*ef", A, B, E, D);
void contract(std::string_view expression, const input &a, const input &b, const input &c,
              const output &d, const contract_options &options = {});
/// One input: traces, sums over modes, diagonals, transpositions.
void contract(std::string_view expression, const input &a, const output &c,
              const contract_options &options = {});

/// Any number of inputs.
void contract(std::string_view expression, std::span<const input> inputs, const output &c,
              const contract_options &options = {});
void contract(std::string_view expression, std::span<const input> inputs, const input &c,
              const output &d, const contract_options &options = {});
///     contract("ij,jk,kl,lm->im", {A, B, E, F}, D, {.workspace_limit = mib(64)});
inline void contract(std::string_view expression, std::initializer_list<input> inputs,
                     const output &c, const contract_options &options = {}) {
    contract(expression, std::span(inputs.begin(), inputs.size()), c, options);
}
inline void contract(std::string_view expression, std::initializer_list<input> inputs,
                     const input &c, const output &d, const contract_options &options = {}) {
    contract(expression, std::span(inputs.begin(), inputs.size()), c, d, options);
}
inline contraction_plan make_plan(std::string_view expression, std::initializer_list<input> inputs,
                                  const output &c, const contract_options &options = {}) {
    return make_plan(expression, std::span(inputs.begin(), inputs.size()), c, options);
}
inline contraction_plan make_plan(std::string_view expression, std::initializer_list<input> inputs,
                                  const input &c, const output &d,
                                  const contract_options &options = {}) {
    return make_plan(expression, std::span(inputs.begin(), inputs.size()), c, d, options);
}

} // namespace tenfold
