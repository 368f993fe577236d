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
#include <tenfold/contract_batch.hpp>
#include <tenfold/einsum.hpp>
#include <tenfold/error.hpp>
#include <tenfold/executor.hpp>
#include <tenfold/operand.hpp>

namespace [[gnu::visibility("default")]] tenfold {

class contraction_epilogue; // <tenfold/contraction_epilogue.hpp>

struct contract_options {
    scalar alpha = 1.0; ///< multiplies the scalar in the expression
    std::optional<scalar> beta =
        std::nullopt; ///< empty: 0, or 1 if the expression says "+=" or "-="
    tenfold::algorithm algorithm = algorithm::automatic;
    /// `measure` takes up to about 1 s when the plan is made, `patient` 10 s. Tuning runs on
    /// scratch memory, and its result is kept in the context's wisdom. With more than two inputs,
    /// each step is tuned that long.
    tenfold::tuning tuning = tuning::estimate;
    std::optional<byte_count> workspace_limit = std::nullopt; ///< empty: the context's
    std::optional<tenfold::backend> backend = std::nullopt;   ///< empty: the context's
    int threads = 0;                                          ///< 0: the context's
    /// Empty: the context's. The same bits for any number of threads, workspace and layouts, and on
    /// any number of ranks (docs/distribution.md); algorithm::leaves is the only one.
    std::optional<bool> reproducible = std::nullopt;
    /// With inputs of bf16. Reproducible contractions convert them to f32, which is exact.
    tenfold::bf16_sums bf16_sums = tenfold::bf16_sums::automatic;
    /// Converts to f64, or to c64 if D is complex, for the products and their sums, and rounds to
    /// D's type once beta op(C) has been added. Inputs and C may then be of any type that is
    /// exactly one of f64 or c64. No effect if D is of that type already.
    bool f64_sums = false;
    bool diagonal_output = false; ///< a label twice in D writes only D's diagonal
    /// D = conj(alpha op(A) op(B) + beta op(C)), at no cost, before an epilogue. No effect on real
    /// tensors.
    bool conj_output = false;
    /// Modes of extent 1 go with any extent of their label, as always in NumPy's notation.
    bool broadcast = false;
    /// The order of a contraction of many inputs, as numpy.einsum_path() gives it; empty: that of
    /// the expression's parentheses, or else the cheapest within the workspace limit.
    path_steps path = {};
    const context *ctx = nullptr; ///< null: context::global(); must outlive plans made with it
    const execution_control *control = nullptr; ///< progress and a stop of contract(); null: none
    /// Applied to D at the end; null: none. A plan does not keep it, nor its data.
    const contraction_epilogue *epilogue = nullptr;
    execution_record *record = nullptr; ///< what contract() took beside planning; null: nobody asks
};

/// One candidate, with the cost model's prediction.
struct candidate_summary {
    tenfold::algorithm algorithm;
    double seconds; ///< predicted
    byte_count workspace;
    std::string description; ///< what it would do, or why it is not possible
    bool possible = true;
};

/// One step of a contraction of more than two inputs: it contracts two tensors, or sums one over
/// labels.
struct step_summary {
    std::string expression; ///< "il=ik*kl", scalars left out
    /// The operands: an input by its number, from 0; the result of an earlier step by the number of
    /// inputs plus the step's.
    std::vector<std::size_t> operands;
    tenfold::algorithm algorithm;
    index_t m, n, k, batch;
    double flops;
    double seconds;       ///< predicted
    byte_count workspace; ///< of this step, beside the intermediates
    byte_count result;    ///< of the step's result
};

/// Describes a plan in numbers. With more than two inputs, algorithm, m, n, k and batch are those
/// of the step with the most flops; all else is summed over the steps.
struct plan_summary {
    tenfold::algorithm algorithm;
    index_t m, n, k, batch; ///< products of the groups' extents
    double flops;
    double bytes;         ///< the inputs and D, each once
    double seconds;       ///< predicted
    byte_count workspace; ///< intermediates included
    int threads;
    /// Cheapest first, including the chosen one; only with one or two inputs.
    std::vector<candidate_summary> candidates;
    std::vector<step_summary> steps; ///< only with more than two inputs
    path_steps path;      ///< the order; one step of all inputs where nothing is multiplied
    double flops_at_once; ///< of a single loop nest over all labels, without intermediates
    byte_count largest_intermediate;
    /// The choice that a larger workspace limit would allow; empty if the limit does not matter.
    /// Only with one or two inputs.
    std::optional<candidate_summary> without_limit = std::nullopt;
};

/// The summary as one JSON object, with the fields of `tenfold explain --json` that are about one
/// process. Throws errc::unsupported in a build without nlohmann_json.
std::string to_json(const plan_summary &summary);

/// What an execution of a plan reads and writes.
struct contraction_data {
    scalar alpha = 1.0;
    std::span<const void *const> inputs = {}; ///< in the order of the expression
    scalar beta = 0.0;
    const void *c = nullptr;
    void *d = nullptr;
    /// One address for each step of the plan's epilogue, as contraction_epilogue::data() gives
    /// them; may be empty if no step has a tensor.
    std::span<const void *const> epilogue = {};
};

/// A contraction that is decided once and executed many times. An immutable value, cheap to copy,
/// without data pointers; concurrent execute() calls are safe.
class contraction_plan {
public:
    /// D = alpha op(A) op(B) + beta op(C). alpha multiplies the scalar in the expression; beta is
    /// the one given here. With one input, b is null. beta = 0: c is not read and may be null;
    /// alpha = 0: a and b are not read. c may equal d exactly; otherwise d shares no element with
    /// a, b or c. Operands that the expression calls by one name have one address, or
    /// errc::invalid_argument is returned. `workspace` is used if it holds workspace_size() bytes
    /// from its first address that is a multiple of 64; otherwise the context's pool is used. On
    /// failure the status gives the reason and nothing was written, except that a stop by `control`
    /// (or null) returns errc::stopped and leaves D unspecified.
    status execute(scalar alpha, const void *a, const void *b, scalar beta, const void *c, void *d,
                   std::span<std::byte> workspace = {},
                   const execution_control *control = nullptr) const noexcept;
    /// The same for any number of inputs, in the order of the expression.
    status execute(scalar alpha, std::span<const void *const> inputs, scalar beta, const void *c,
                   void *d, std::span<std::byte> workspace = {},
                   const execution_control *control = nullptr) const noexcept;
    /// The same with what an executor allows. Also returns errc::invalid_argument if its threads or
    /// workspace_limit are out of range, and errc::workspace_too_small.
    status execute(scalar alpha, const void *a, const void *b, scalar beta, const void *c, void *d,
                   const executor &with) const noexcept;
    status execute(scalar alpha, std::span<const void *const> inputs, scalar beta, const void *c,
                   void *d, const executor &with) const noexcept;

    /// Executes the plan for each contraction of a batch. If one of them is too small for several
    /// threads, each thread computes some, as many at a time as the workspace allows; otherwise all
    /// threads compute one after the other. The results are those of execute(), for any number of
    /// threads.
    ///
    /// D_i shares no element with an input, C_j or D_j of any contraction, but for C_i, which may
    /// be D_i. This is checked exactly: in O(count) if the D_i follow one another in memory, else
    /// in O(count log count) and a test for each pair whose address ranges meet. Returns what
    /// execute() returns, and errc::invalid_argument for a negative count, another number of
    /// addresses or a plan with an epilogue, errc::overflow if the tensors of a batch span more
    /// than 64 bits can count. On failure nothing was written in any contraction, except after a
    /// stop, and *failed (or null) is the number of the contraction at fault, or -1.
    status execute_batch(const contraction_batch &batch, const executor &with = {},
                         index_t *failed = nullptr) const noexcept;

    /// The same, with the data of an epilogue. Its tensors are read whatever alpha and beta are,
    /// and must not share elements with d.
    status execute(const contraction_data &data, const executor &with = {}) const noexcept;

    /// Bytes that one execution needs beside the tensors, including packing buffers and
    /// intermediates.
    byte_count workspace_size() const noexcept;

    /// Throws std::bad_alloc if nobody asked before, the plan multiplies small matrices, and there
    /// is no memory to describe it.
    const plan_summary &summary() const;
    /// The order of the contraction: what contract_options::path takes, and opt_einsum, too. The
    /// left operand of each step comes first.
    const path_steps &path() const { return summary().path; }

    /// Several lines of text: classification, algorithm, sizes, predicted seconds, and the rejected
    /// candidates with their costs.
    std::string explain() const;

private:
    friend struct internals;
    struct state;
    explicit contraction_plan(std::shared_ptr<const state> planned) : state_(std::move(planned)) {}

    std::shared_ptr<const state> state_;
};

/// Plans `expression` for tensors with these types, layouts and conjugations. Data pointers are
/// ignored. execute() takes alpha, beta, control and record, so expressions must use "=": "+=" and
/// "-=", which imply a beta, are refused, and so are those options. Messages call
/// the output D, even if it is also C, and the inputs A and B, or "input 1", "input 2" and so on if
/// there are more than two. Throws tenfold::error: errc::syntax, unknown_label, repeated_label,
/// order_mismatch, extent_mismatch, type_mismatch, invalid_argument (operands of one name with
/// different types or layouts, options.alpha, beta, control or record set, "+=" or "-=", options
/// out of range, a path that does not fit the inputs, or one beside parentheses), overflow,
/// overlap, workspace_too_small, unsupported (also for more than 64 modes of one tensor, including
/// modes of extent 1). Throws std::bad_alloc if there is no memory for the plan itself, some KiB.
/// Of a product of two small matrices it keeps what executions need; all that is described is found
/// when somebody asks for it first.
contraction_plan make_plan(std::string_view expression, const input &a, const input &b,
                           const output &c, const contract_options &options = {});
/// If the expression has three inputs, `c` is the third one, and D is C.
contraction_plan make_plan(std::string_view expression, const input &a, const input &b,
                           const input &c, const output &d, const contract_options &options = {});
contraction_plan make_plan(std::string_view expression, const input &a, const output &c,
                           const contract_options &options = {});
/// The operation of `spec` must be `assign`.
contraction_plan make_plan(const contraction_spec &spec, std::span<const input> inputs,
                           const input &c, const output &d, const contract_options &options = {});

/// Plans a contraction of any number of inputs. More than two are contracted two at a time, in the
/// order with the fewest multiply-adds within the workspace limit. The best order is found for up
/// to ten inputs; for more, a good one is found greedily and then improved piece by piece. A path,
/// of the options or of parentheses, is taken as it is. Intermediates are part of the workspace.
contraction_plan make_plan(std::string_view expression, std::span<const input> inputs,
                           const output &c, const contract_options &options = {});
contraction_plan make_plan(std::string_view expression, std::span<const input> inputs,
                           const input &c, const output &d, const contract_options &options = {});

/// The extents that D has to have, for callers who make it for the call. With spec.broadcast,
/// extents of 1 give way to others of their label. Throws errc::invalid_argument, unknown_label,
/// order_mismatch, extent_mismatch, unsupported (more than 64 modes).
extents_t output_extents(const contraction_spec &spec, std::span<const layout> inputs);

/// Computes C = alpha op(A) op(B) + beta C:
///     contract("abcd=aebf*dfce", A, B, C, {.alpha = 0.5, .beta = 1.0});
/// Throws as make_plan() does, errc::invalid_argument for two tensors of one name, and if the
/// status is not ok; then C is unchanged, except after a stop. Also passes on what
/// options.control's progress() throws.
void contract(std::string_view expression, const input &a, const input &b, const output &c,
              const contract_options &options = {});
/// Computes D = alpha op(A) op(B) + beta op(C). Each tensor may have a type of its own: sums are of
/// D's type, or of f32 if D is bf16 or f16, and must hold every number of A, B and C; D is rounded
/// once. If the expression has three inputs, they are a, b and c:
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
/// What a spec says, for callers whose labels are numbers. The plan is kept and found as that of an
/// expression. Labels are compared by number, so that calls with other names share a plan.
void contract(const contraction_spec &spec, std::span<const input> inputs, const output &c,
              const contract_options &options = {});
void contract(const contraction_spec &spec, std::span<const input> inputs, const input &c,
              const output &d, const contract_options &options = {});
/// Any number of inputs, in arrays. `c` may be null: C is D then. With two inputs and a plan that
/// is known, the call allocates nothing.
void contract(std::string_view expression, std::span<const input_arrays> inputs,
              const input_arrays *c, const output_arrays &d, const contract_options &options = {});
/// One or two tensors or views, as most calls have them: their layouts are not copied either.
template <tensor_or_view A, tensor_or_view B, writable_tensor_or_view D>
void contract(std::string_view expression, const A &a, const B &b, D &&d,
              const contract_options &options = {}) {
    if (a.shape().empty() || b.shape().empty() || d.shape().empty()) // or moved from
        return contract(expression, input(a), input(b), output(d), options);
    const input_arrays inputs[]{arrays_of(a), arrays_of(b)};
    contract(expression, inputs, nullptr, output_arrays_of(d), options);
}
template <tensor_or_view A, writable_tensor_or_view D> void
contract(std::string_view expression, const A &a, D &&d, const contract_options &options = {}) {
    if (a.shape().empty() || d.shape().empty())
        return contract(expression, input(a), output(d), options);
    const input_arrays inputs[]{arrays_of(a)};
    contract(expression, inputs, nullptr, output_arrays_of(d), options);
}
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
