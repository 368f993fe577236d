// Measures the machine's rates.
#pragma once

#include <functional>

#include <tenfold/context.hpp>

#include "base/rates.hpp"

namespace tenfold::calibrate_impl {

struct rates_request {
    const context *ctx = nullptr; ///< its machine and instruction set; not null
    int threads = 1;              ///< the rates are those of all threads together
    double seconds = 10; ///< how long measuring may take, roughly; less time gives noisier rates
};

/// Called before each part with its number, the number of parts, and a description.
using rates_progress = std::function<void(int step, int steps, const char *what)>;

/// Takes at least a few tenths of a second, and enough memory that caches do not hold the arrays.
/// Rates that need more threads than requested (the start of a third thread) keep their typical
/// values, and so does the time of a message, most of which is the MPI library's.
base::machine_rates measure_rates(const rates_request &request, const rates_progress &progress);

} // namespace tenfold::calibrate_impl
