// Where the file of calibrations lies.
#include <cstdlib>

#include "base/calibration.hpp"

namespace tenfold::base {

std::string default_calibration_file() {
    constexpr const char *ours = "/tenfold/calibration.json";
    // Paths that are not absolute are to be ignored (XDG Base Directory Specification).
    if (const char *caches = std::getenv("XDG_CACHE_HOME"); caches != nullptr && caches[0] == '/')
        return std::string(caches) + ours;
    if (const char *home = std::getenv("HOME"); home != nullptr && home[0] == '/')
        return std::string(home) + "/.cache" + ours;
    return {};
}

std::string calibration_file(const settings &chosen) {
    if (chosen.calibration == "off")
        return {};
    return chosen.calibration.empty() ? default_calibration_file() : chosen.calibration;
}

} // namespace tenfold::base
