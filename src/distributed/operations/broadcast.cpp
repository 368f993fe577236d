// What ranks of a program tell each other between calls: values, and whether work succeeded.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>

#include <tenfold/dist_operations.hpp>
#include <tenfold/dist_tasks.hpp>

#include "distributed/comm/agreement.hpp"

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
