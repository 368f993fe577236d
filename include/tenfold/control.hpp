// Progress reports of a call, and its early end.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

namespace [[gnu::visibility("default")]] tenfold {

/// A caller's control of a call that may take long:
///
///     std::stop_source source;
///     const execution_control control{.progress = [](double done) { draw_bar(done); },
///                                     .stop = source.get_token()};
///     contract("abcd=aebf*dfce", A, B, C, {.control = &control});
///
/// The work checks it between tiles, blocks of matrix products, parts of transpositions, steps and
/// messages, about every millisecond. Each check costs two atomic additions; without a control it
/// costs nothing.
struct execution_control {
    /// Called with the share of the work that is done, from 0 to 1, by the thread that made the
    /// call, at most once per `interval`, and at the end with 1. Shares are predicted seconds, so
    /// they estimate the remaining time only roughly. It may request the stop. If it throws, the
    /// work ends as after a stop; contract(), transpose() and gemm() rethrow the exception, and
    /// execute() returns errc::stopped.
    std::function<void(double done)> progress;
    /// Once any thread requests a stop, parts that have begun are completed and the rest is left
    /// out. The call fails with errc::stopped, and D's elements are unspecified; everything else
    /// can be used as before. A stop requested before the call leaves D unchanged; one after the
    /// last part of the work has no effect. With distributed tensors a stop on any rank ends the
    /// call on all ranks, and either all ranks pass a control or none does.
    std::stop_token stop;
    std::chrono::milliseconds interval{100};
};

} // namespace tenfold
