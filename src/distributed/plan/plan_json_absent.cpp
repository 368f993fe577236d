// What a build without nlohmann_json has instead of plan_json.cpp.
#include <tenfold/dist_json.hpp>

namespace tenfold {
namespace {

[[noreturn]] void refuse() {
    throw error(errc::unsupported, "to_json: this build of Tenfold writes no JSON: nlohmann_json "
                                   "(nlohmann-json3-dev) was not there when it was configured");
}

} // namespace

std::string to_json(const dist_plan &) { refuse(); }
std::string to_json(const dist_sequence &) { refuse(); }

} // namespace tenfold
