#include "distributed/comm/attendance.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "base/log.hpp"
#include "distributed/comm/parting.hpp"

namespace tenfold::dist_impl {
namespace {

/// MPI_Finalize begins with deleting the attributes of MPI_COMM_SELF (MPI 3.1, 8.7.1). MPI works
/// until it returns.
int on_finalize(MPI_Comm, int, void *, void *) {
    watcher::instance().leave_all(departure_kind::finalised);
    receive_for_failed(std::chrono::seconds(1));
    free_what_all_have_left(std::chrono::seconds(1));
    return MPI_SUCCESS;
}

void tell_when_mpi_ends() {
    static const bool once = [] {
        int key = MPI_KEYVAL_INVALID;
        if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &key, nullptr) !=
            MPI_SUCCESS)
            return false;
        MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
        MPI_Comm_free_keyval(&key); // the attribute stays
        return true;
    }();
    static_cast<void>(once);
}

/// Collective. Returns the lowest rank that `is_one`, or -1.
int lowest_of(communicator &comm, bool is_one) {
    const std::array<std::uint64_t, 1> mine{
        is_one ? static_cast<std::uint64_t>(comm.size() - comm.rank()) : 0};
    std::array<std::uint64_t, 1> most{};
    comm.maximum(mine, most);
    return most[0] == 0 ? -1 : comm.size() - static_cast<int>(most[0]);
}

} // namespace

attendance::attendance(communicator &comm, const settings &chosen) : comm_(comm), chosen_(chosen) {
    if (comm.size() == 1)
        return;
    // A rank that wants none of it still takes part in the first message.
    if (chosen.presence_seconds > 0) {
        comm.report_after(chosen.presence_seconds);
        made_ = std::make_shared<presence>(comm.rank(), comm.size());
        for_watcher_.push_back(made_);
        cards_.resize(static_cast<std::size_t>(comm.size()));
        comm.prepare_control(static_cast<index_t>(sizeof(presence_card)) * comm.size());
        watcher::instance();
    }
}

void attendance::begin() {
    if (comm_.size() == 1 || lowest_of(comm_, made_ == nullptr) >= 0)
        return;
    meeting ours(comm_.rank(), comm_.size());
    const presence_card mine = ours.open(comm_.is_on_one_host());
    world_secret secret{};
    // A rank without random bytes counts as one without a socket: its secret would be known.
    const presence_card shown = draw_secret(secret) ? mine : presence_card{};
    comm_.all_gather(&shown, sizeof shown, cards_.data());
    comm_.broadcast(secret.data(), static_cast<index_t>(secret.size()), 0);
    bool works = true;
    for (const presence_card &one : cards_)
        works = works && one.port != 0;
    // If one rank has no socket, all know, and nobody waits for it.
    const int parent = comm_.rank() > 0 ? presence_parent_of(comm_.rank()) : 0;
    works = works &&
            ours.connect(secret, cards_[static_cast<std::size_t>(parent)], made_->parent(),
                         made_->children()) &&
            watcher::instance().add(std::move(for_watcher_));
    if (const int failed = lowest_of(comm_, !works); failed >= 0) {
        made_->give_up();
        if (comm_.rank() == 0)
            base::log(chosen_, base::log_level::info,
                      "ranks of this world do not learn of each other's end: rank " +
                          std::to_string(failed) + " has no socket or cannot reach others by it");
        return;
    }
    tell_when_mpi_ends();
    comm_.attend(std::move(made_));
}

} // namespace tenfold::dist_impl
