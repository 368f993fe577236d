// Memory of messages. If a call fails, MPI may still write to what a message is received into: then
// that memory is never freed.
#pragma once

#include <memory>
#include <utility>

#include <tenfold/tensor.hpp>

#include "distributed/comm/communicator.hpp"

namespace tenfold::dist_impl {

struct message_deleter {
    const communicator *comm = nullptr;
    void operator()(void *memory) const noexcept {
        if (!comm->has_messages_left())
            base::aligned_deleter()(memory);
    }
};
template <class T> using message_buffer = std::unique_ptr<T, message_deleter>;

/// Throws errc::out_of_memory.
template <class T> message_buffer<T> allocate_for_messages(communicator &comm, index_t elements) {
    return {
        static_cast<T *>(base::allocate_aligned(bytes(elements * static_cast<index_t>(sizeof(T))))),
        message_deleter{&comm}};
}

/// An object whose memory is that of messages. It is not destroyed if MPI may still write to it.
template <class Held> class message_memory {
public:
    template <class... Args> explicit message_memory(const communicator &comm, Args &&...args)
        : comm_(comm), held_(std::forward<Args>(args)...) {}
    ~message_memory() {
        if (!comm_.has_messages_left())
            std::destroy_at(&held_);
    }
    message_memory(const message_memory &) = delete;
    message_memory &operator=(const message_memory &) = delete;

    Held &operator*() noexcept { return held_; }
    Held *operator->() noexcept { return &held_; }

private:
    const communicator &comm_;
    union {
        Held held_;
    };
};

} // namespace tenfold::dist_impl
