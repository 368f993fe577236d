#include "distributed/comm/parting.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include <sched.h>

namespace tenfold::dist_impl {
namespace {

struct left_communicator {
    MPI_Comm comm;
    MPI_Request barrier; ///< completes when all ranks have left
};

std::mutex left_mutex;

/// Never destroyed: worlds with static lifetime are destroyed at any time before the process ends.
std::vector<left_communicator> &all_left() {
    static auto *const made = new std::vector<left_communicator>;
    return *made;
}

/// Returns true if none is left over. The caller holds the mutex.
bool free_some() noexcept {
    std::vector<left_communicator> &all = all_left();
    std::erase_if(all, [](left_communicator &one) {
        int done = 0;
        if (MPI_Test(&one.barrier, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done == 0)
            return false;
        MPI_Comm_free(&one.comm);
        return true;
    });
    return all.empty();
}

} // namespace

void free_when_all_have_left(MPI_Comm comm) noexcept {
    const std::lock_guard lock(left_mutex);
    try {
        all_left().reserve(all_left().size() + 1);
    } catch (const std::bad_alloc &) {
        return; // the communicator is lost
    }
    left_communicator one{comm, MPI_REQUEST_NULL};
    if (MPI_Ibarrier(comm, &one.barrier) == MPI_SUCCESS)
        all_left().push_back(one);
    free_some();
}

void free_what_all_have_left(std::chrono::steady_clock::duration patience) noexcept {
    const std::lock_guard lock(left_mutex);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!free_some() && std::chrono::steady_clock::now() < deadline)
        sched_yield();
}

} // namespace tenfold::dist_impl
