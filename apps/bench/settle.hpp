// Waits before a sample until other threads sleep.
#pragma once

#include <chrono>

namespace tenfold::apps_impl {

/// The idle threads of other libraries spin for a tenth of a second at most.
constexpr std::chrono::milliseconds longest_settling{500};

/// Waits until no other thread of this process runs, or `at_most` has passed. Returns false if one
/// still runs. Threads that spin for their next call would take a core from the next contender.
///
/// The caller itself does not sleep. If all threads of a team sleep, the system may wake them on
/// the same core and leave them there for several milliseconds. If the caller keeps its core, the
/// others wake on theirs.
///
/// If the system does not report which threads run, waits 100 ms.
bool settle(std::chrono::milliseconds at_most = longest_settling);

} // namespace tenfold::apps_impl
