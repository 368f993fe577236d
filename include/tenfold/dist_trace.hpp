// Traces how ranks spend their time, as intervals for a viewer (Perfetto, chrome://tracing) and as
// sums. Link tenfold::dist.
#pragma once

#include <memory>
#include <string>

#include <tenfold/dist.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// Seconds of one rank since its trace began. `compute`, `pack`, `communication`, `idle` and `plan`
/// do not overlap; they add up to `calls`, except for some bookkeeping.
struct trace_totals {
    double calls = 0; ///< in collective calls

    double compute = 0;       ///< products and sums of tensors
    double pack = 0;          ///< copies into and out of messages and panels
    double communication = 0; ///< in MPI while it moves bytes
    double idle = 0;          ///< in MPI, waiting for other ranks
    double plan = 0;          ///< plans and memory

    double under_way = 0; ///< while messages of this rank were in flight
    double exposed = 0;   ///< the part of it spent in MPI, in `communication` or `idle`

    /// The share of the time with messages in flight in which this rank did something else; 1 if
    /// there were no messages.
    double overlap() const noexcept { return under_way > 0 ? 1 - exposed / under_way : 1; }
};

/// Records what the collective calls on a world do, from construction to destruction:
///     dist_trace trace(everyone);
///     contract("abij=abef*efij", V, T, R);
///     trace.write("contract.json");
/// At most one trace per world at a time. While it records, waits poll instead of sleeping in MPI,
/// to distinguish time in which MPI moves bytes from time in which nothing arrives: a poll that
/// takes three microseconds of processor time counts as moving bytes. A rank keeps its first 2^20
/// intervals (48 MB); the sums count all of them.
class dist_trace {
public:
    /// Collective. Measures the offsets between the ranks' clocks by messages between rank 0 and
    /// each other rank. Throws errc::invalid_argument if the world is being traced already.
    explicit dist_trace(const world &where);
    ~dist_trace();
    dist_trace(const dist_trace &) = delete;
    dist_trace &operator=(const dist_trace &) = delete;

    /// Local. The sums of this rank.
    trace_totals totals() const noexcept;
    /// Local. Sets the sums to 0 and keeps the intervals.
    void reset_totals() noexcept;

    /// Collective. Rank 0 writes one file for all ranks in Chrome's format (docs/distribution.md),
    /// with one process per rank and times in microseconds since the trace began, on rank 0's
    /// clock. May be called more than once. Throws errc::io on all ranks.
    void write(const std::string &file);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace tenfold
