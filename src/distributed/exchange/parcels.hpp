// Parcels: what every rank sends to every other one, where only the sender knows how much that is.
#pragma once

#include <numeric>
#include <vector>

#include "distributed/comm/communicator.hpp"

namespace tenfold::dist_impl {

/// The parcels of one direction, by the rank at the other end. They lie in one array in the order
/// of ranks; counts are in items of any size.
struct parcels {
    std::vector<index_t> count, begin;

    explicit parcels(int ranks)
        : count(static_cast<std::size_t>(ranks), 0), begin(static_cast<std::size_t>(ranks), 0) {}
    /// Computes where parcels begin from their counts.
    void lay_out() noexcept {
        std::exclusive_scan(count.begin(), count.end(), begin.begin(), index_t{0});
    }
    index_t total() const noexcept {
        return std::accumulate(count.begin(), count.end(), index_t{0});
    }
};

/// Delivers parcels by point-to-point messages, one (or none) to each rank. The counts of a rank
/// take 8 bytes for each rank of the world, so that no rank holds those of all.
class parcel_service {
public:
    /// Finds the memory. Throws std::bad_alloc.
    explicit parcel_service(communicator &comm);

    /// Collective. Tells each rank what it will receive, and lays it out.
    void share_counts(const parcels &sent, parcels &received);

    /// Collective. Items of `item_bytes` bytes; a rank's own parcel is copied.
    void deliver(const void *from, const parcels &sent, void *to, const parcels &received,
                 index_t item_bytes);

private:
    void note_peer(int peer);
    void wait();

    communicator &comm_;
    parcels ones_; ///< one item for each rank
    std::vector<MPI_Request> requests_;
    std::vector<int> peers_; ///< of the requests
};

} // namespace tenfold::dist_impl
