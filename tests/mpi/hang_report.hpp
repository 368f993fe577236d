// Reports a hang of a program on several ranks: where each rank is, on stderr.
#pragma once

#include <tenfold/dist.hpp>

namespace tenfold::testing {

/// Collective, before the first world is made. Turns the watchdog on (TENFOLD_WATCHDOG=60 unless
/// the environment has another value). Before the watchdog ends the program, every rank prints what
/// it does and its stack, whether it waits or computes. SIGUSR2, which launchers pass on to the
/// ranks, makes them print that at any time.
void report_hangs(int rank);

/// Sets the world whose state is reported; null: none.
void report_state_of(const world *watched) noexcept;

} // namespace tenfold::testing
