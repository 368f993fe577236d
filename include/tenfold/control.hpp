// Hearing how far a call has come, and ending it early.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

namespace tenfold {

/// What a caller gives to a call that may take long:
///
///     std::stop_source source;
///     const execution_control control{.progress = [](double done) { draw_bar(done); },
///                                     .stop = source.get_token()};
///     contract("abcd=aebf*dfce", A, B, C, {.control = &control});
///
/// The work looks at it between tiles, blocks of matrix products, parts of transpositions, steps
/// and messages, about every millisecond. A control that is given costs two atomic additions each
/// time; none costs nothing.
struct execution_control {
    /// Called with the share of the work that is done, from 0 to 1, by the thread that made the
    /// call, at most once per `interval`; at last with 1. Shares are predicted seconds: they tell
    /// the time that is left only roughly. It may request the stop. An exception from it ends the
    /// work like a stop; contract(), transpose() and gemm() throw it again, execute() returns
    /// errc::stopped.
    std::function<void(double done)> progress;
    /// Once a stop is requested (by any thread), what is under way is brought to an end and the
    /// rest left out: the call fails with errc::stopped and D's elements are unspecified.
    /// Everything else can be used as before. A stop that was requested before the call leaves D as
    /// it was; one that comes after the last part of the work has no effect. With distributed
    /// tensors a stop on any rank ends the call on all ranks, and either all ranks give a control
    /// or none does.
    std::stop_token stop;
    std::chrono::milliseconds interval{100};
};

} // namespace tenfold
