// Ends a test program that stands still, and prints where.
#pragma once

#include <chrono>

namespace tenfold::testing {

/// From now on: when this process has no children and has used no processor time for so long, it
/// prints the stacks of all its threads on stderr and aborts. TENFOLD_TEST_WATCHDOG says otherwise
/// in seconds; 0: never. Tests that sleep do so for less.
void watch_for_hangs(std::chrono::seconds limit = std::chrono::seconds(60));

} // namespace tenfold::testing
