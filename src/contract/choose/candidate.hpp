// A way to carry out a contraction: a value that knows what it needs, what it should cost and how
// to print itself.
#pragma once

#include <memory>
#include <string>

#include <tenfold/context.hpp>
#include <tenfold/types.hpp>

namespace tenfold::contract_impl {

/// What the planner was asked for, with all defaults resolved.
struct plan_environment {
    const context *ctx = nullptr;
    int threads = 1;
    tenfold::backend backend = backend::native;
    bool reproducible = false;
    byte_count workspace_limit{INT64_MAX};
    tenfold::tuning tuning = tuning::estimate; ///< of a transposition that is all there is to do

    bool limited() const noexcept { return workspace_limit < byte_count{INT64_MAX}; }
    /// Threads that algorithms are priced for. A reproducible result must not depend on the number
    /// of threads, so neither may the choice of how to compute it.
    int pricing_threads() const noexcept { return reproducible ? 1 : threads; }
};

/// Immutable; execute() may run on several threads at once.
class candidate {
public:
    virtual ~candidate() = default;

    virtual tenfold::algorithm algorithm() const noexcept = 0;
    /// Predicted.
    virtual double seconds() const noexcept = 0;
    virtual byte_count workspace() const noexcept = 0;
    /// One line without its end.
    virtual std::string describe() const = 0;

    /// True if execute() takes C from anywhere, conjugated or not. Otherwise c is d: the plan has
    /// brought beta op(C) into D before.
    virtual bool reads_any_c() const noexcept { return false; }

    /// D = alpha op(A) op(B) + beta op(C), with all arguments already checked and `workspace` of
    /// workspace() bytes, aligned to 64.
    virtual void execute(scalar alpha, const void *a, const void *b, scalar beta, const void *c,
                         void *d, std::byte *workspace) const noexcept = 0;
};

using candidate_ptr = std::shared_ptr<const candidate>;

} // namespace tenfold::contract_impl
