// How one execution of a plan is carried out, and what it took.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <tenfold/context.hpp>
#include <tenfold/types.hpp>

namespace [[gnu::visibility("default")]] tenfold {

struct execution_control; // <tenfold/control.hpp>

/// What one execution took:
///
///     execution_record record;
///     contract("abcd=aebf*dfce", A, B, C, {.record = &record});
///     std::cout << record.flops / record.seconds << " flop/s on " << record.threads << " threads";
///
/// All is 0 if the execution was refused. Without a record nothing is measured.
struct execution_record {
    double seconds = 0;                                  ///< elapsed, checks included
    tenfold::algorithm algorithm = algorithm::automatic; ///< that of the plan
    double flops = 0;       ///< 0 if nothing was multiplied, because alpha is 0 or a sum is empty
    double bytes = 0;       ///< of the tensors that were read, and of D; each once
    int threads = 0;        ///< the most that worked at a time
    byte_count workspace{}; ///< used beside the tensors
};

/// What an execution of a plan may use. What is left out is as it was planned.
///
///     plan.execute(1.0, A.data(), B.data(), 0.0, nullptr, C.data(), {.threads = 1});
struct executor {
    /// At most so many threads, up to 4096. A plan never uses more than it was made for, and is
    /// right, if not as fast as one that was made for them, on fewer. 0: those of `ctx`, or else
    /// the plan's.
    int threads = 0;
    /// The execution is refused with errc::workspace_too_small if the plan's workspace_size() is
    /// larger. Empty: that of `ctx`, or else none.
    std::optional<byte_count> workspace_limit = std::nullopt;
    /// Is used if it holds workspace_size() bytes from its first address that is a multiple of 64.
    /// Otherwise the pool of `ctx` is used.
    std::span<std::byte> workspace = {};
    /// The context whose pool, number of threads and workspace limit serve the execution; its other
    /// settings have no effect on a plan. Null: the one that the plan was made with, whose number
    /// and limit the plan has followed already.
    const context *ctx = nullptr;
    const execution_control *control = nullptr; ///< progress and a stop; null: none
    execution_record *record = nullptr;         ///< is filled at the end; null: nobody asks
};

} // namespace tenfold
