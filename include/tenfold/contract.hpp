// Contractions: D = alpha * op(A) * op(B) + beta * op(C) over labelled modes.
#pragma once

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

struct contract_options {
    scalar alpha = 1.0; ///< multiplies the scalar in the expression
    std::optional<scalar> beta =
        std::nullopt; ///< empty: 0, or 1 where the expression says "+=" or "-="
    tenfold::algorithm algorithm = algorithm::automatic;
    tenfold::tuning tuning = tuning::estimate;
    std::optional<byte_count> workspace_limit = std::nullopt; ///< empty: the context's
    std::optional<tenfold::backend> backend = std::nullopt;   ///< empty: the context's
    int threads = 0;                                          ///< 0: the context's
    std::optional<bool> reproducible = std::nullopt;          ///< empty: the context's
    bool diagonal_output = false; ///< a label twice in D writes D's diagonal only
    const context *ctx = nullptr; ///< null: context::global(); must outlive plans made with it
};

/// One way that was considered, and what the cost model said of it.
struct candidate_summary {
    tenfold::algorithm algorithm;
    double seconds; ///< predicted
    byte_count workspace;
    std::string description; ///< what it would do, or why it is not possible
    bool possible = true;
};

/// What a plan will do, as numbers.
struct plan_summary {
    tenfold::algorithm algorithm;
    index_t m, n, k, batch; ///< products of the groups' extents
    double flops;
    double bytes;   ///< A, B and D, each once
    double seconds; ///< predicted
    byte_count workspace;
    int threads;
    std::vector<candidate_summary> candidates; ///< cheapest first, the chosen one included
};

/// A contraction decided once and executed many times. A value: cheap to copy, immutable, holds no
/// data pointers; concurrent execute() calls are safe.
class contraction_plan {
public:
    /// D = alpha op(A) op(B) + beta op(C), alpha multiplied with the expression's scalar, negated
    /// for
    /// "-="; beta is what is given here, whatever the expression says. With one input, b is null.
    /// beta = 0: c is not read and may be null; alpha = 0: a and b are not read. c may equal d
    /// exactly; otherwise d shares no element with a, b or c. `workspace` is used where it holds
    /// workspace_size() bytes from its first address that is a multiple of 64; otherwise the
    /// context's pool is. On failure the status says why and nothing has been written.
    status execute(scalar alpha, const void *a, const void *b, scalar beta, const void *c, void *d,
                   std::span<std::byte> workspace = {}) const noexcept;

    /// Bytes that one execution needs beside the tensors, packing buffers included.
    byte_count workspace_size() const noexcept;

    const plan_summary &summary() const noexcept;

    /// Several lines for people: classification, algorithm, sizes, predicted seconds, what was
    /// rejected and by how much.
    std::string explain() const;

    struct state;
    explicit contraction_plan(std::shared_ptr<const state> state) : state_(std::move(state)) {}
    const state &internals() const noexcept { return *state_; }

private:
    std::shared_ptr<const state> state_;
};

/// Plans `expression` for tensors with these types, layouts and conjugations; data pointers are
/// not looked at, and alpha and beta are execute()'s. Messages call the output D, also where it is
/// C too. Throws tenfold::error: errc::syntax, unknown_label, repeated_label, order_mismatch,
/// extent_mismatch, type_mismatch, invalid_argument (options.alpha or beta set), overflow, overlap,
/// workspace_too_small, unsupported.
contraction_plan make_plan(std::string_view expression, const input &a, const input &b,
                           const output &c, const contract_options &options = {});
contraction_plan make_plan(std::string_view expression, const input &a, const input &b,
                           const input &c, const output &d, const contract_options &options = {});
contraction_plan make_plan(std::string_view expression, const input &a, const output &c,
                           const contract_options &options = {});
contraction_plan make_plan(const contraction_spec &spec, std::span<const input> inputs,
                           const input &c, const output &d, const contract_options &options = {});

/// C = alpha op(A) op(B) + beta C. Throws as make_plan() does, and when the status is not ok.
///     contract("abcd=aebf*dfce", A, B, C, {.alpha = 0.5, .beta = 1.0});
void contract(std::string_view expression, const input &a, const input &b, const output &c,
              const contract_options &options = {});
/// D = alpha op(A) op(B) + beta op(C).
void contract(std::string_view expression, const input &a, const input &b, const input &c,
              const output &d, const contract_options &options = {});
/// One input: traces, sums over modes, diagonals, transpositions.
void contract(std::string_view expression, const input &a, const output &c,
              const contract_options &options = {});

} // namespace tenfold
