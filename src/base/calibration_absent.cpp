// Used without nlohmann_json: no calibration file is read or written.
#include "base/calibration.hpp"

namespace tenfold::base {
namespace {

constexpr const char *reason = "this build of Tenfold reads and writes no such file: nlohmann_json "
                               "(nlohmann-json3-dev) was not there when it was configured";

} // namespace

found_calibration read_calibration(const std::string &, const calibration_key &) {
    return {{}, 0, reason};
}

std::string save_calibration(const std::string &, const calibration_key &, const machine_rates &) {
    return reason;
}

probe_outcome probe_or_read(const std::string &, const calibration_key &key, rate_probe probe,
                            const machine &machine, machine_rates &rates) {
    run_probe(probe, machine, key.isa, rates);
    return {.kept = false, .ran = true};
}

seen_copies read_copies(const std::string &, const calibration_key &) { return {}; }

void keep_copies(const std::string &, const calibration_key &, const seen_copies &) {}

} // namespace tenfold::base
