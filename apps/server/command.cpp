#include "apps/server/command.hpp"

namespace tenfold::server {

std::vector<std::uint8_t> command::encode() const {
    return nlohmann::json::to_cbor(
        {{"stop", stop}, {"drop", drop}, {"work", work}, {"close", close}});
}

command command::decode(const std::vector<std::uint8_t> &bytes) {
    const nlohmann::json value = nlohmann::json::from_cbor(bytes);
    return {value.at("stop").get<bool>(), value.at("drop").get<std::vector<std::uint64_t>>(),
            value.at("work"), value.at("close").get<std::vector<std::uint64_t>>()};
}

} // namespace tenfold::server
