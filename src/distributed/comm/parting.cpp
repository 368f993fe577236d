#include "distributed/comm/parting.hpp"

#include <algorithm>
#include <memory>
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

std::vector<MPI_Comm> &all_failed() {
    static auto *const made = new std::vector<MPI_Comm>;
    return *made;
}

/// A message that no operation receives any more.
struct unwanted_message {
    std::unique_ptr<char[]> data;
    MPI_Request request = MPI_REQUEST_NULL;
};

/// Begins to receive one if there is any.
bool begin_to_receive(MPI_Comm comm, std::vector<unwanted_message> &all) {
    all.emplace_back();
    int found = 0;
    int bytes = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    if (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &message, &status) != MPI_SUCCESS ||
        found == 0) {
        all.pop_back();
        return false;
    }
    // Data of every type may be received as MPI_PACKED (MPI 3.1, 4.2). A message for which there is
    // no memory is cut off, which lets its sender go on as well.
    if (MPI_Get_count(&status, MPI_PACKED, &bytes) == MPI_SUCCESS && bytes > 0)
        all.back().data.reset(new (std::nothrow) char[static_cast<std::size_t>(bytes)]);
    MPI_Imrecv(all.back().data.get(), all.back().data ? bytes : 0, MPI_PACKED, &message,
               &all.back().request);
    return true;
}

/// Returns whether messages have begun to come, or are still coming.
bool receive_some(std::vector<unwanted_message> &all) {
    bool any = false;
    for (const MPI_Comm comm : all_failed())
        while (begin_to_receive(comm, all))
            any = true;
    std::erase_if(all, [](unwanted_message &one) {
        int done = 0;
        MPI_Test(&one.request, &done, MPI_STATUS_IGNORE);
        return one.request == MPI_REQUEST_NULL;
    });
    return any || !all.empty();
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

void keep_failed(MPI_Comm comm) noexcept {
    if (comm == MPI_COMM_NULL)
        return;
    const std::lock_guard lock(left_mutex);
    try {
        all_failed().push_back(comm);
    } catch (const std::bad_alloc &) { // its messages stay where they are
    }
}

void receive_for_failed(std::chrono::steady_clock::duration patience) noexcept {
    const std::lock_guard lock(left_mutex);
    if (all_failed().empty())
        return;
    const auto begin = std::chrono::steady_clock::now();
    const auto longest_silence = std::chrono::milliseconds(100);
    // MPI may still write to what is left over.
    auto *const messages = new (std::nothrow) std::vector<unwanted_message>;
    if (messages == nullptr)
        return;
    auto now = begin;
    for (auto heard = begin; now - heard < longest_silence && now - begin < patience;
         now = std::chrono::steady_clock::now()) {
        try {
            if (receive_some(*messages))
                heard = now;
        } catch (const std::bad_alloc &) {
            return;
        }
        sched_yield();
    }
    if (messages->empty())
        delete messages;
}

} // namespace tenfold::dist_impl
