// How fast the memory is at most, measured in some milliseconds.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::calibrate_impl {

/// A base::copy_probe.
double probe_copy(isa set);

} // namespace tenfold::calibrate_impl
