// Bulk data on all ranks: each listens, and rank 0 knows where.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tenfold/dist.hpp>

#include "apps/server/bulk_network.hpp"
#include "apps/server/transfers.hpp"

namespace tenfold::server {

class bulk_ranks {
public:
    /// Collective. If one rank cannot listen, or clients could not reach it, none does.
    bulk_ranks(const world &ranks, const bulk_network_options &options);

    bulk_desk &desk() noexcept { return desk_; }
    /// Of all ranks; empty if there is no bulk data.
    const std::vector<bulk_endpoint> &endpoints() const noexcept { return endpoints_; }
    /// Why there is none; empty if there is.
    const std::string &problem() const noexcept { return problem_; }

private:
    bulk_desk desk_;
    std::optional<bulk_network> network_; ///< ends before the desk does
    std::vector<bulk_endpoint> endpoints_;
    std::string problem_;
};

} // namespace tenfold::server
