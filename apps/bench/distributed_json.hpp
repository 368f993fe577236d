// The suite dist in JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "apps/bench/distributed_result.hpp"

namespace tenfold::apps_impl {

/// The fields that cases of the suite have beside those of every case.
nlohmann::ordered_json distributed_object(const distributed_result &result);

} // namespace tenfold::apps_impl
