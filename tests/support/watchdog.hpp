// Ends a test program that hangs, and prints where.
#pragma once

#include <chrono>

namespace tenfold::testing {

/// From now on: if this process has no children and has used no processor time for `limit`, prints
/// the stacks of all its threads on stderr and aborts. TENFOLD_TEST_WATCHDOG overrides the limit in
/// seconds; 0: never. Tests must not sleep for as long.
void watch_for_hangs(std::chrono::seconds limit = std::chrono::seconds(60));

} // namespace tenfold::testing
