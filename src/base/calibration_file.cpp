// The path of the calibration file.
#include <cstdlib>

#include "base/calibration.hpp"

namespace tenfold::base {

std::string default_calibration_file() {
    constexpr const char *ours = "/tenfold/calibration.json";
    // The XDG Base Directory Specification says to ignore paths that are not absolute.
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
