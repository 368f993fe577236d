#include "apps/server/manifest.hpp"

#include <algorithm>
#include <stdexcept>

#include "apps/server/access.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

/// 1: tensors are not shared. Both are read.
constexpr int first_format = 1, format = 2;
constexpr std::size_t most_ranges = 1000;

saved_tensor tensor_of(const json &value) {
    const auto type = parse_data_type(value.at("type").get<std::string>());
    saved_tensor result{value.at("id"),
                        value.at("user"),
                        value.at("name"),
                        type.value_or(data_type::f64),
                        value.at("extents").get<extents_t>(),
                        value.at("time_to_live")};
    if (!type || !is_arithmetic(*type) || !is_tensor_name(result.name) ||
        !is_user_name(result.user))
        throw std::runtime_error("a tensor has a wrong type, name or user");
    const json shares = value.value("shares", json::object()); // older ones have none
    for (const auto &[user, text] : shares.items()) {
        const auto right = parse_shared_right(text.get<std::string>());
        if (!right || !is_user_name(user))
            throw std::runtime_error("a tensor is shared with a wrong user or right");
        result.shares.emplace(user, *right);
    }
    return result;
}

} // namespace

std::string manifest::text() const {
    json list = json::array();
    for (const saved_tensor &one : tensors)
        list.push_back({{"id", one.id},
                        {"user", one.user},
                        {"name", one.name},
                        {"type", tenfold::name(one.type)},
                        {"extents", one.extents},
                        {"time_to_live", one.time_to_live},
                        {"shares", shares_json(one.shares)},
                        {"file", one.file()}});
    const json content = {{"format", format},
                          {"saved", saved},
                          {"tensors", std::move(list)},
                          {"last_tensor", last_tensor},
                          {"pending", pending},
                          {"lost", lost},
                          {"jobs", jobs}};
    return json_text({{"checksum", to_hex(hash_of(json_text(content)))}, {"manifest", content}}) +
           "\n";
}

manifest manifest::parse(const std::string &text) {
    try {
        const json whole = json::parse(text);
        const json &content = whole.at("manifest");
        if (to_hex(hash_of(json_text(content))) != whole.at("checksum"))
            throw std::runtime_error("its checksum is wrong");
        if (const int written = content.at("format"); written < first_format || written > format)
            throw std::runtime_error("a newer version wrote it");
        manifest result;
        result.saved = content.at("saved");
        for (const json &one : content.at("tensors"))
            result.tensors.push_back(tensor_of(one));
        result.last_tensor = content.at("last_tensor");
        result.pending = content.at("pending").get<std::vector<std::uint64_t>>();
        result.lost = content.at("lost").get<std::vector<range>>();
        result.jobs = content.at("jobs");
        return result;
    } catch (const json::exception &) {
        throw std::runtime_error("it is damaged");
    }
}

bool manifest::has_lost(std::uint64_t id) const noexcept {
    return std::any_of(lost.begin(), lost.end(),
                       [id](const range &one) { return one.first <= id && id <= one.second; });
}

void manifest::add_lost(std::uint64_t first) {
    for (const std::uint64_t one : std::exchange(pending, {}))
        lost.emplace_back(one, one);
    if (last_tensor + 1 < first)
        lost.emplace_back(last_tensor + 1, first - 1);
    if (lost.size() > most_ranges)
        lost.erase(lost.begin(), lost.end() - most_ranges);
}

} // namespace tenfold::server
