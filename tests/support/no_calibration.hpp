// Makes plans in tests independent of the machine's calibration.
#pragma once

#include <cstdlib>

namespace tenfold::testing {

/// Ignores a calibration of this machine, in this process and in its children.
inline void ignore_calibrations() { setenv("TENFOLD_CALIBRATION", "off", /*overwrite=*/1); }

} // namespace tenfold::testing
