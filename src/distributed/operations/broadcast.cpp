// What ranks of a program tell each other between calls: values, and whether work succeeded.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/dist_gather.hpp>
#include <tenfold/dist_tasks.hpp>

#include "distributed/comm/agreement.hpp"
#include "distributed/comm/message_memory.hpp"
#include "distributed/exchange/parcels.hpp"

namespace tenfold::dist_impl {
namespace {

/// Long values travel in pieces of this many bytes, which a rank passes on as they come.
constexpr index_t broadcast_piece = 1 << 18;

void check_root(const communicator &comm, int root) {
    if (root < 0 || root >= comm.size())
        throw error(errc::invalid_argument, "root " + std::to_string(root) + " of " +
                                                std::to_string(comm.size()) + " ranks");
}

/// Collective. There must be memory for a control message of a piece.
void broadcast_in_pieces(communicator &comm, void *data, std::size_t size, int root) {
    auto *next = static_cast<std::byte *>(data);
    for (auto left = static_cast<index_t>(size); left > 0;) {
        const index_t piece = std::min(left, broadcast_piece);
        comm.broadcast(next, piece, root);
        next += piece;
        left -= piece;
    }
}

/// Lists on their way. What comes is received into memory that stays if the call fails.
class moving_lists {
public:
    /// Finds the memory. Throws std::bad_alloc.
    explicit moving_lists(communicator &comm)
        : sent(comm.size()), received(comm.size()), comm_(comm), service_(comm) {
        comm.prepare_control(static_cast<index_t>(sizeof(index_t)) * comm.size());
    }

    /// Finds the memory for what comes, the counts of which are known. Throws.
    void expect(const resizable &to) {
        received.lay_out();
        const index_t count = received.total();
        to.resize(static_cast<std::size_t>(count));
        size_ = count * static_cast<index_t>(to.item_bytes);
        arrived_ = allocate_for_messages<std::byte>(comm_, size_);
    }
    /// Collective.
    void deliver(const item_list &from, const resizable &to) {
        service_.deliver(from.data, sent, arrived_.get(), received,
                         static_cast<index_t>(to.item_bytes));
        if (size_ > 0)
            std::memcpy(to.data(), arrived_.get(), static_cast<std::size_t>(size_));
    }

    parcels sent, received;

private:
    communicator &comm_;
    parcel_service service_;
    message_buffer<std::byte> arrived_;
    index_t size_ = 0; ///< bytes
};

void check_items(const item_list &values) {
    if (values.count > 0 && values.data == nullptr)
        throw error(errc::null_pointer, "the values to send are null");
}

} // namespace

void broadcast_bytes(const world &where, void *data, std::size_t size, int root) {
    communicator &comm = communicator_of(where);
    const traced_call traced(comm, "broadcast");
    const auto describe = [&](call_description &call) {
        call.add("bytes", size).add("root", root);
    };
    collectively(comm, "broadcast", describe, [&] {
        check_root(comm, root);
        if (size > 0 && data == nullptr)
            throw error(errc::null_pointer, "the values to broadcast are null");
        comm.prepare_control(std::min(static_cast<index_t>(size), broadcast_piece));
    });
    broadcast_in_pieces(comm, data, size, root);
}

void broadcast_resizable(const world &where, const resizable &values, int root) {
    communicator &comm = communicator_of(where);
    const traced_call traced(comm, "broadcast");
    const auto describe = [&](call_description &call) {
        call.add("bytes of an item", values.item_bytes).add("root", root);
    };
    collectively(comm, "broadcast", describe, [&] {
        check_root(comm, root);
        comm.prepare_control(broadcast_piece);
    });
    std::size_t count = values.count;
    comm.broadcast(&count, sizeof count, root);
    collectively(comm, "broadcast (memory)", [&] { values.resize(count); });
    broadcast_in_pieces(comm, values.data(), count * values.item_bytes, root);
}

void gather_bytes(const world &where, const void *mine, std::size_t size,
                  const std::function<void *()> &allocate) {
    communicator &comm = communicator_of(where);
    const traced_call traced(comm, "all_gather");
    const auto describe = [&](call_description &call) { call.add("bytes", size); };
    void *all = nullptr;
    collectively(comm, "all_gather", describe, [&] {
        all = allocate();
        comm.prepare_control(static_cast<index_t>(size) * comm.size());
    });
    comm.all_gather(mine, static_cast<index_t>(size), all);
}

void gather_lists(const world &where, const item_list &mine, const resizable &all,
                  std::optional<int> root) {
    communicator &comm = communicator_of(where);
    const traced_call traced(comm, "gather_lists");
    const auto describe = [&](call_description &call) {
        call.add("bytes of an item", all.item_bytes);
        if (root)
            call.add("root", *root);
        else
            call.add("root", "every rank");
    };
    std::optional<moving_lists> lists;
    collectively(comm, "gather_lists", describe, [&] {
        if (root)
            check_root(comm, *root);
        check_items(mine);
        lists.emplace(comm);
    });
    const auto count = static_cast<index_t>(mine.count);
    std::vector<index_t> &counts = lists->received.count;
    comm.all_gather(&count, sizeof count, counts.data());
    if (root && *root != comm.rank())
        std::fill(counts.begin(), counts.end(), 0);
    for (int rank = 0; rank < comm.size(); ++rank) // all get the same items, which begin at 0
        if (!root || *root == rank)
            lists->sent.count[static_cast<std::size_t>(rank)] = count;
    collectively(comm, "gather_lists (memory)", [&] { lists->expect(all); });
    lists->deliver(mine, all);
}

void scatter_lists(const world &where, const item_list &values, std::span<const index_t> counts,
                   const resizable &mine, int root) {
    communicator &comm = communicator_of(where);
    const traced_call traced(comm, "scatter_lists");
    const auto describe = [&](call_description &call) {
        call.add("bytes of an item", mine.item_bytes).add("root", root);
    };
    std::optional<moving_lists> lists;
    std::vector<index_t> told;
    collectively(comm, "scatter_lists", describe, [&] {
        check_root(comm, root);
        lists.emplace(comm);
        told.resize(static_cast<std::size_t>(comm.size()));
        if (comm.rank() != root)
            return;
        check_items(values);
        if (counts.size() != told.size())
            throw error(errc::extent_mismatch, std::to_string(counts.size()) + " lists for " +
                                                   std::to_string(comm.size()) + " ranks");
        for (std::size_t rank = 0; rank < counts.size(); ++rank)
            if (counts[rank] < 0)
                throw error(errc::invalid_argument, std::to_string(counts[rank]) +
                                                        " values for rank " + std::to_string(rank) +
                                                        "; expected 0 or more");
        std::copy(counts.begin(), counts.end(), told.begin());
        lists->sent.count = told;
        lists->sent.lay_out();
        if (lists->sent.total() != static_cast<index_t>(values.count))
            throw error(errc::extent_mismatch, "lists of " + std::to_string(lists->sent.total()) +
                                                   " values together, of " +
                                                   std::to_string(values.count));
    });
    comm.broadcast(told.data(), static_cast<index_t>(told.size() * sizeof(index_t)), root);
    lists->received.count[static_cast<std::size_t>(root)] =
        told[static_cast<std::size_t>(comm.rank())];
    collectively(comm, "scatter_lists (memory)", [&] { lists->expect(mine); });
    lists->deliver(values, mine);
}

void reduce_values(const world &where, const reduced_values &values, reduction how) {
    communicator &comm = communicator_of(where);
    const traced_call traced(comm, "all_reduce");
    const auto item = static_cast<index_t>(values.item_bytes);
    const auto describe = [&](call_description &call) {
        call.add("values", values.count)
            .add("bytes of a value", item)
            .add("reduction", static_cast<int>(how));
    };
    const index_t most = broadcast_piece / item; // of a piece
    const auto count = static_cast<index_t>(values.count);
    collectively(comm, "all_reduce", describe, [&] {
        if (count > 0 && values.data == nullptr)
            throw error(errc::null_pointer, "the values to reduce are null");
        comm.prepare_control(std::min(count, most) * item);
    });
    auto *next = static_cast<std::byte *>(values.data);
    for (index_t left = count; left > 0;) {
        const index_t now = std::min(left, most);
        comm.reduce(next, now * item, [&](void *into, const void *from) {
            values.combine(into, from, static_cast<std::size_t>(now));
        });
        comm.broadcast(next, now * item, 0);
        next += now * item;
        left -= now;
    }
}

void run_agreed(const world &where, const std::function<void()> &work) {
    communicator &comm = communicator_of(where);
    const traced_call traced(comm, "agree");
    collectively(comm, "agree", work);
}

} // namespace tenfold::dist_impl
