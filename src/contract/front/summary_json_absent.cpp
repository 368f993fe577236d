// What a build without nlohmann_json has instead of summary_json.cpp.
#include <tenfold/contract.hpp>

namespace tenfold {

std::string to_json(const plan_summary &) {
    throw error(errc::unsupported, "to_json: this build of Tenfold writes no JSON: nlohmann_json "
                                   "(nlohmann-json3-dev) was not there when it was configured");
}

} // namespace tenfold
