// Makes plans in tests independent of the machine's calibration, and leaves the user's file alone.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <unistd.h>

namespace tenfold::testing {

/// Ignores a calibration of this machine, in this process and in its children. Contexts whose
/// settings do not come from the environment have a file of their own.
inline void ignore_calibrations() {
    setenv("TENFOLD_CALIBRATION", "off", /*overwrite=*/1);
    const auto folder =
        std::filesystem::temp_directory_path() / ("tenfold-tests-" + std::to_string(getuid()));
    setenv("XDG_CACHE_HOME", folder.c_str(), /*overwrite=*/1);
}

} // namespace tenfold::testing
