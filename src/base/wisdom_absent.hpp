// Built without nlohmann_json: contexts refuse a file of wisdom, and there is none.
#pragma once

namespace tenfold::base {

class wisdom_file {};

constexpr const char *no_wisdom = "this build of Tenfold keeps no wisdom: nlohmann_json "
                                  "(nlohmann-json3-dev) was not there when it was configured";

} // namespace tenfold::base
