// Plans of tests are priced alike on every machine.
#pragma once

#include <cstdlib>

namespace tenfold::testing {

/// What somebody measured on this machine must not decide what is tested: for this process and
/// those that it starts.
inline void ignore_calibrations() { setenv("TENFOLD_CALIBRATION", "off", /*overwrite=*/1); }

} // namespace tenfold::testing
