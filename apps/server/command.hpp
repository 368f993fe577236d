// What rank 0 tells all ranks, as one encoded message.
#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

namespace tenfold::server {

struct command {
    bool stop = false;                    ///< the server ends
    std::vector<std::uint64_t> drop = {}; ///< tensors whose elements are freed first
    nlohmann::json work = nullptr;        ///< of a job; null: none
    /// Transfers of bulk data that end first, before tensors are freed.
    std::vector<std::uint64_t> close = {};

    /// CBOR (RFC 8949).
    std::vector<std::uint8_t> encode() const;
    /// Throws nlohmann::json::exception for anything else than encode() returns.
    static command decode(const std::vector<std::uint8_t> &bytes);

    friend bool operator==(const command &, const command &) = default;
};

} // namespace tenfold::server
