// What a checkpoint says of the tensors that it has: the manifest, without which its files are
// nothing.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <tenfold/tensor_view.hpp>

#include "apps/server/catalogue.hpp"

namespace tenfold::server {

struct saved_tensor {
    std::uint64_t id; ///< its generation
    std::string user;
    std::string name;
    data_type type;
    extents_t extents;
    double time_to_live = 0;
    share_list shares = {};

    /// Of the checkpoint's folder. A tensor never changes, so a file is written once.
    std::string file() const { return std::to_string(id) + ".tensor"; }

    friend bool operator==(const saved_tensor &, const saved_tensor &) = default;
};

struct manifest {
    /// Generations from the first to the last one.
    using range = std::pair<std::uint64_t, std::uint64_t>;

    double saved = 0; ///< seconds since 1970; 0: never
    std::vector<saved_tensor> tensors = {};
    std::uint64_t last_tensor = 0;           ///< the last generation that was given away
    std::vector<std::uint64_t> pending = {}; ///< those of jobs that waited
    std::vector<range> lost =
        {}; ///< tensors that were made after a checkpoint and before a restart
    nlohmann::json jobs = nlohmann::json::array(); ///< that had ended: service_checkpoint.cpp

    /// JSON with a checksum.
    std::string text() const;
    /// Throws std::runtime_error for what is damaged, or was written by a newer version.
    static manifest parse(const std::string &text);

    bool has_lost(std::uint64_t id) const noexcept;
    /// Adds what a server lost that started again from this manifest and gives away ids from
    /// `first` on.
    void add_lost(std::uint64_t first);

    friend bool operator==(const manifest &, const manifest &) = default;
};

} // namespace tenfold::server
