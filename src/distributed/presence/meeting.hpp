// How the ranks of a world find each other: each opens a socket, all exchange cards with their
// addresses (by MPI, which is the caller's part), and each rank connects to its parent in a tree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "distributed/presence/sockets.hpp"

namespace tenfold::dist_impl {

/// With 16 children a rank, 4369 ranks are at most three steps from rank 0, and no rank holds more
/// than 17 sockets.
constexpr int presence_children = 16;
constexpr int presence_parent_of(int rank) noexcept { return (rank - 1) / presence_children; }
constexpr int first_child_of(int rank) noexcept { return presence_children * rank + 1; }
constexpr int count_children_of(int rank, int size) noexcept {
    const int left = size - first_child_of(rank);
    return left < 0 ? 0 : left < presence_children ? left : presence_children;
}

/// Where a rank can be reached. Ranks send it as bytes.
struct presence_card {
    std::uint16_t port = 0; ///< 0: the rank has no socket
    std::uint16_t address_count = 0;
    std::array<host_address, 8> addresses{};
};

/// Random bytes that only the ranks of the world know. Who connects without them is turned away.
using world_secret = std::array<std::byte, 16>;
/// Returns false if the system has no random bytes to give.
bool draw_secret(world_secret &secret) noexcept;

/// One rank's part. Allocates nothing.
class meeting {
public:
    meeting(int rank, int size) noexcept : rank_(rank), size_(size) {}

    /// Opens this rank's socket; `local`: all ranks are on one host.
    presence_card open(bool local) noexcept;

    /// All ranks call it at about the same time. Connects to the parent, which has `card`, and to
    /// the children; `children` has room for count_children_of(rank, size). Returns false if that
    /// does not succeed in ten seconds.
    bool connect(const world_secret &secret, const presence_card &card, socket_handle &parent,
                 std::span<socket_handle> children) noexcept;

private:
    bool accept_children(const world_secret &secret, std::span<socket_handle> children,
                         presence_clock::time_point deadline) const noexcept;
    socket_handle connect_to_parent(const world_secret &secret, const presence_card &card,
                                    presence_clock::time_point deadline) const noexcept;

    int rank_;
    int size_;
    bool local_ = true;
    socket_handle listener_;
};

} // namespace tenfold::dist_impl
