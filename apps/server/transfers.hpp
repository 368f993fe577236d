// Transfers of bulk data as rank 0's service knows them: tickets for clients.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/server/catalogue.hpp"
#include "apps/server/chunks.hpp"

namespace tenfold::server {

/// Where a rank takes and gives bulk data.
struct bulk_endpoint {
    std::string host; ///< empty: that of rank 0's machine, as the client knows it
    std::uint16_t port = 0;
};

enum class transfer_state { opening, open, committing, ended };

/// Guarded by the service's mutex.
struct transfer {
    using clock = std::chrono::steady_clock;

    std::uint64_t number = 0;
    std::string user;
    bool is_upload = false;
    /// What is read, or where an upload waits until it is committed. Pinned while the state is
    /// open.
    tensor_pointer tensor;
    slice box; ///< of the tensor that is read; of an upload: of the tensor that it changes
    /// The tensor that an upload changes a part of; 0: it is a tensor of its own.
    std::uint64_t former = 0;
    memory_order order = memory_order::c;
    std::int64_t seconds = 0;             ///< from its opening to its end
    std::string secret;                   ///< in hexadecimal digits; told to its owner only
    std::vector<bulk_endpoint> endpoints; ///< of the ranks

    transfer_state state = transfer_state::opening;
    clock::time_point until;

    std::string id() const { return "x" + std::to_string(number); }
    /// With the secret: for its owner.
    nlohmann::json ticket() const;
};
using transfer_pointer = std::shared_ptr<transfer>;

/// The bodies of /v1/tensors/NAME/upload and /download.
struct transfer_request {
    std::optional<data_type> type;         ///< of an upload that is no slice
    std::optional<extents_t> extents;      ///< of the same
    std::optional<std::string> slice_text; ///< parse_slice()
    std::optional<std::uint64_t> generation;
    memory_order order = memory_order::c;
    std::int64_t seconds = 600;

    /// Throws refusal.
    static transfer_request parse(const nlohmann::json &body, bool is_upload);
};

inline constexpr std::int64_t most_transfer_seconds = 3600;
inline constexpr std::size_t most_transfers = 16; ///< of a user

} // namespace tenfold::server
