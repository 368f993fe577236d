// The clock of measurements.
#pragma once

#include "tuning/measuring.hpp"

namespace tenfold::calibrate_impl {

/// Counts from when it is made.
class stopwatch {
public:
    double seconds() const noexcept { return tuning_impl::seconds_since_start() - start_; }

private:
    double start_ = tuning_impl::seconds_since_start();
};

} // namespace tenfold::calibrate_impl
