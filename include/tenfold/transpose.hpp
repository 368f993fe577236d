// Transpositions: B = alpha * op(permuted A) + beta * B.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <tenfold/context.hpp>
#include <tenfold/error.hpp>
#include <tenfold/operand.hpp>

namespace [[gnu::visibility("default")]] tenfold {

struct execution_control; // <tenfold/control.hpp>

struct transpose_options {
    scalar alpha = 1.0;
    std::optional<scalar> beta = std::nullopt; ///< empty: 0, or 1 if the expression says "+="
    /// `measure` takes up to about 1 s for the beta above, `patient` 10 s for any beta, when the
    /// plan is made. Tuning runs on scratch memory, and its result is kept in the context's wisdom.
    tenfold::tuning tuning = tuning::estimate;
    /// Seconds that tuning may take in all, more than 0; empty: as above. No measurement begins
    /// later. In more time than its level has, it tries more. A result counts as of the level.
    std::optional<double> tuning_seconds = std::nullopt;
    int threads = 0;              ///< 0: the context's
    const context *ctx = nullptr; ///< null: context::global()
    /// Whether B is written with non-temporal stores. Empty: decided by B's size. A tile of a large
    /// tensor may ask for them too, and B that is read again at once should not have them. Plans
    /// that set this are not tuned.
    std::optional<bool> bypass_caches = std::nullopt;
    /// Reports progress and requests a stop in transpose(); null: none. Plans take a control in
    /// execute() instead.
    const execution_control *control = nullptr;
};

/// A permutation from one layout to another, decided once and executed many times. An immutable
/// value, cheap to copy, without data pointers; concurrent execute() calls are safe.
class transpose_plan {
public:
    /// Mode k of B is mode permutation[k] of A. Types may differ, but complex numbers do
    /// not become real ones; results are rounded once. Integers stay of one type; alpha and beta
    /// are integers of 32 bits then, and results modulo what the type holds. Throws
    /// errc::extent_mismatch, errc::invalid_argument (not a permutation, options out of range),
    /// errc::type_mismatch, errc::overflow (bytes that do not fit 64 bits), errc::overlap (B
    /// overlaps itself), and std::bad_alloc if there is no memory for the plan itself.
    transpose_plan(std::span<const int> permutation, data_type type_a, const layout &a,
                   data_type type_b, const layout &b, bool conjugate = false,
                   const transpose_options &options = {});

    /// B = alpha op(perm A) + beta B. beta = 0: B is not read; alpha = 0: A is not read. A and B
    /// must not share elements, unless they are the same elements in the same places (scaling in
    /// place). Needs no workspace; O(size) reads and writes. A stop by `control` (or null) returns
    /// errc::stopped and leaves B unspecified.
    status execute(scalar alpha, const void *a, scalar beta, void *b,
                   const execution_control *control = nullptr) const noexcept;

    /// Fused modes, loop order, blocking, kernel, threads, tuning, predicted seconds.
    std::string explain() const;
    double predicted_seconds() const noexcept;
    /// Bytes of A and B, counting B twice if it is also read.
    byte_count traffic(bool reads_b) const noexcept;

private:
    friend struct internals;
    struct state;
    explicit transpose_plan(std::shared_ptr<const state> made) noexcept : state_(std::move(made)) {}
    std::shared_ptr<const state> state_;
};

/// transpose("badc=abcd", A, B): one input and a permutation of its labels. "+=", "-=" and a
/// leading scalar are allowed as in contract(). Throws as transpose_plan and parse() do, for a
/// status that is not ok, and whatever options.control's progress() throws.
void transpose(std::string_view expression, const input &a, const output &b,
               const transpose_options &options = {});

} // namespace tenfold
