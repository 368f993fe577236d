// What the messages between the nodes of a presence consist of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tenfold::dist_impl {

/// Begins every message.
struct message_head {
    std::uint32_t size; ///< of what follows, in bytes
    std::uint32_t what; ///< a presence::message
};
/// What a node asks the nodes below it: for their part of an answer, in this time.
struct collect_request {
    std::uint32_t round;
    std::uint32_t milliseconds;
};

template <class T> std::span<const std::byte> message_bytes(const T &value) noexcept {
    return std::as_bytes(std::span(&value, 1));
}

/// Returns false if the content is too short.
template <class T> bool read_message(std::span<const std::byte> content, T &value) noexcept {
    if (content.size() < sizeof value)
        return false;
    std::memcpy(&value, content.data(), sizeof value);
    return true;
}

} // namespace tenfold::dist_impl
