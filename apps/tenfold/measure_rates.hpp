// The machine's rates, measured.
#pragma once

#include <functional>

#include <tenfold/types.hpp>

#include "base/rates.hpp"

namespace tenfold::apps_impl {

struct rates_request {
    tenfold::isa isa = tenfold::isa::generic;
    int threads = 1;     ///< of all threads together
    double seconds = 10; ///< about how long it may take; less is noisier
};

/// Told before each part: its number, of how many, and what it is about to measure.
using rates_progress = std::function<void(int step, int steps, const char *what)>;

/// Takes a few tenths of a second at least, and as much memory as copies need that no cache holds.
/// What the request's threads cannot tell (a third thread's start) stays typical.
base::machine_rates measure_rates(const rates_request &request, const rates_progress &progress);

} // namespace tenfold::apps_impl
