#include "kernel_list.hpp"

#include <nlohmann/json.hpp>

namespace tenfold::apps_impl {

nlohmann::ordered_json kernel_list(const context &) { return nlohmann::ordered_json::array(); }

} // namespace tenfold::apps_impl
