// The machine's rates as text and as JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "base/rates.hpp"

namespace tenfold::apps_impl {

/// Returns the value with its unit: "133 GFLOP/s", "35.2 GB/s", "3 us", "0.85".
std::string describe(const base::rate &which, double value);

/// Returns an object of all rates by name, in flops, bytes and seconds.
nlohmann::ordered_json to_json(const base::machine_rates &rates);

} // namespace tenfold::apps_impl
