// Rates that contexts measure on their own where nobody has calibrated the machine.
#pragma once

#include <atomic>

#include <tenfold/types.hpp>

#include "base/machine.hpp"
#include "base/rates.hpp"

namespace tenfold::base {

/// Measures the rates of all_rates() that are marked as probed, in at most 20 ms on one idle core,
/// and leaves the others. May throw std::bad_alloc.
using rate_probe = void (*)(const machine &, isa, machine_rates &);

/// The probe that contexts use; null: none. What it times lies in rooms above this one, of which
/// one sets it before main() runs.
inline std::atomic<rate_probe> known_rate_probe = nullptr;

/// Returns the bytes per second that one thread reads and writes together while it copies memory of
/// which caches hold little, in 5 to 15 ms; 0 if there is no memory for it. The machine's memory is
/// at most that fast.
using copy_probe = double (*)(isa);
inline std::atomic<copy_probe> known_copy_probe = nullptr;

/// Replaces the probed rates by what the probe measures, where that is possible at all.
inline void run_probe(rate_probe probe, const machine &on, isa instruction_set,
                      machine_rates &rates) {
    machine_rates measured = rates;
    probe(on, instruction_set, measured);
    for (const rate &one : all_rates())
        if (one.probed && one.is_possible(measured.*one.value))
            rates.*one.value = measured.*one.value;
}

} // namespace tenfold::base
