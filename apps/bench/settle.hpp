// The quiet before a sample.
#pragma once

#include <chrono>

namespace tenfold::apps_impl {

/// Libraries' idle threads spin for a tenth of a second at most.
constexpr std::chrono::milliseconds longest_settling{500};

/// Waits until no other thread of this process runs, at most so long; returns false when one still
/// does. Threads that spin for their next call would keep a core from whoever is timed next.
///
/// The caller itself does not sleep. Where all threads of a team sleep, the system may wake them on
/// one and the same core and leave them there for several milliseconds; beside a caller that keeps
/// its core the others wake on theirs.
///
/// Where the system does not tell which threads run, 100 ms pass.
bool settle(std::chrono::milliseconds at_most = longest_settling);

} // namespace tenfold::apps_impl
