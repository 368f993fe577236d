#include "distributed/exchange/parcels.hpp"

#include <cstring>

namespace tenfold::dist_impl {

parcel_service::parcel_service(communicator &comm) : comm_(comm), ones_(comm.size()) {
    ones_.count.assign(ones_.count.size(), 1);
    ones_.lay_out();
    requests_.reserve(2 * ones_.count.size());
    peers_.reserve(2 * ones_.count.size());
}

void parcel_service::share_counts(const parcels &sent, parcels &received) {
    deliver(sent.count.data(), ones_, received.count.data(), ones_, sizeof(index_t));
    received.lay_out();
}

void parcel_service::note_peer(int peer) {
    if (peers_.capacity() < requests_.size()) // long parcels travel in several messages
        comm_.surely([&] { peers_.reserve(requests_.capacity()); });
    peers_.resize(requests_.size(), peer);
}

void parcel_service::deliver(const void *from, const parcels &sent, void *to,
                             const parcels &received, index_t item_bytes) {
    const auto *const out = static_cast<const std::byte *>(from);
    auto *const in = static_cast<std::byte *>(to);
    const auto place = [item_bytes](const parcels &all, int rank) {
        return all.begin[static_cast<std::size_t>(rank)] * item_bytes;
    };
    const auto size = [item_bytes](const parcels &all, int rank) {
        return all.count[static_cast<std::size_t>(rank)] * item_bytes;
    };
    comm_.enter_phase("parcels");
    timed_transfer transfer("parcels");
    transfer.begin(comm_.recorder());
    // As in a redistribution: no rank is addressed by all others at once.
    for (int shift = 1; shift < comm_.size(); ++shift) {
        const int source = (comm_.rank() + comm_.size() - shift) % comm_.size();
        comm_.start_receive(in + place(received, source), size(received, source), source,
                            requests_);
        note_peer(source);
    }
    for (int shift = 1; shift < comm_.size(); ++shift) {
        const int target = (comm_.rank() + shift) % comm_.size();
        comm_.start_send(out + place(sent, target), size(sent, target), target, requests_);
        note_peer(target);
    }
    const int me = comm_.rank();
    if (size(sent, me) > 0)
        std::memcpy(in + place(received, me), out + place(sent, me),
                    static_cast<std::size_t>(size(sent, me)));
    wait();
    transfer.end(comm_.recorder());
    comm_.enter_phase("");
}

void parcel_service::wait() {
    const auto peer_of = [&](std::size_t i) { return peers_[i]; };
    while (comm_.wait_any(requests_, peer_of) >= 0)
        continue;
    requests_.clear();
    peers_.clear();
}

} // namespace tenfold::dist_impl
