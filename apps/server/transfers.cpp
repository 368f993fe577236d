#include "apps/server/transfers.hpp"

#include <algorithm>

#include "apps/server/bulk_desk.hpp"
#include "apps/server/fields.hpp"

namespace tenfold::server {

using nlohmann::json;

json transfer::ticket() const {
    const extents_t zeros(box.extents.size(), 0);
    const slice wanted = is_upload ? slice{zeros, box.extents} : box;
    json boxes = json::array();
    for (std::size_t rank = 0; rank < endpoints.size(); ++rank) {
        const slice part = overlap_of(tensor->spread.block_of(static_cast<int>(rank)), wanted);
        if (part.empty())
            continue;
        extents_t offsets = part.offsets;
        for (std::size_t mode = 0; mode < offsets.size(); ++mode)
            offsets[mode] -= wanted.offsets[mode];
        const piece_grid pieces = piece_grid::of(part.extents, tensor->type, order);
        const bulk_endpoint &where = endpoints[rank];
        boxes.push_back({{"rank", rank},
                         {"host", where.host.empty() ? json() : json(where.host)},
                         {"port", where.port},
                         {"offsets", offsets},
                         {"extents", part.extents},
                         {"piece", pieces.extents},
                         {"pieces", pieces.count(part.extents)}});
    }
    const std::chrono::duration<double> left = until - clock::now();
    return {{"id", id()},
            {"number", number},
            {"secret", secret},
            {"type", tenfold::name(tensor->type)},
            {"extents", box.extents},
            {"order", order == memory_order::fortran ? "F" : "C"},
            {"expires_in", std::max(0.0, left.count())},
            {"boxes", std::move(boxes)}};
}

transfer_request transfer_request::parse(const json &body, bool is_upload) {
    fields read(body);
    transfer_request result;
    result.slice_text = read.find_text("slice");
    if (is_upload && !result.slice_text) {
        result.type = parse_element_type(read.text("type"));
        result.extents = read.extents("extents");
    }
    if (const auto generation = read.find_integer("generation", 1))
        result.generation = static_cast<std::uint64_t>(*generation);
    const std::string order = read.find_text("order").value_or(is_upload ? "C" : "F");
    if (order != "C" && order != "F")
        throw wrong_request("order: expected C or F");
    result.order = order == "F" ? memory_order::fortran : memory_order::c;
    result.seconds = read.find_integer("seconds", 1).value_or(result.seconds);
    read.finish();
    if (result.seconds > most_transfer_seconds)
        throw wrong_request("seconds: expected at most " + std::to_string(most_transfer_seconds));
    if (is_upload && !result.slice_text && result.generation)
        throw wrong_request("generation: only with a slice; otherwise nothing is kept of it");
    return result;
}

} // namespace tenfold::server
