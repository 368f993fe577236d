#include "apps/server/bulk_ranks.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <unistd.h>

#include <tenfold/dist_operations.hpp>

namespace tenfold::server {
namespace {

/// What a rank tells the others; texts are cut to what fits.
struct told {
    std::array<char, 256> machine{}, problem{};
    std::uint16_t port = 0;

    void complain(const std::string &text) {
        std::strncpy(problem.data(), text.c_str(), problem.size() - 1);
    }
};

bool is_every_address(const std::string &address) {
    return address == "0.0.0.0" || address == "::";
}

} // namespace

bulk_ranks::bulk_ranks(const world &ranks, const bulk_network_options &options) {
    told mine;
    try {
        gethostname(mine.machine.data(), mine.machine.size() - 1);
        network_.emplace(desk_, options);
        mine.port = network_->port();
    } catch (const std::exception &failure) {
        mine.complain(failure.what());
    }
    const std::vector<told> all = all_gather(ranks, mine);
    for (std::size_t rank = 0; rank < all.size() && problem_.empty(); ++rank) {
        const bool is_here = all[rank].machine == all.front().machine;
        if (all[rank].problem.front() != '\0')
            problem_ = "rank " + std::to_string(rank) + ": " + all[rank].problem.data();
        else if (!is_here && !is_every_address(options.address))
            problem_ = "rank " + std::to_string(rank) +
                       " is on another machine, where clients do "
                       "not reach " +
                       options.address + "; see --bulk-listen";
        // Rank 0's machine has the name by which a client reached it.
        endpoints_.push_back({is_here ? "" : all[rank].machine.data(), all[rank].port});
    }
    if (problem_.empty())
        return;
    network_.reset();
    endpoints_.clear();
}

} // namespace tenfold::server
