// The JSON fields of the suite dist.
#pragma once

#include <nlohmann/json.hpp>

#include "apps/bench/distributed_result.hpp"

namespace tenfold::apps_impl {

/// The fields that cases of this suite have in addition to those of every case.
nlohmann::ordered_json distributed_object(const distributed_result &result);

} // namespace tenfold::apps_impl
