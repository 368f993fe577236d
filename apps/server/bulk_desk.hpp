// The transfers of bulk data that are open on this rank: who may use them, and what memory they
// reach. Without sockets and without MPI.
//
// Threads meet here: the main thread, which talks MPI, opens and closes transfers; those of bulk
// data take and give pieces, at the same time. close() waits for the pieces that are being moved,
// so that after it nothing touches the memory.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <tenfold/dist_plan.hpp>

#include "apps/server/access.hpp"
#include "apps/server/bulk_frame.hpp"
#include "apps/server/chunks.hpp"

namespace tenfold::server {

/// The pieces of a box: a grid of boxes of `extents`, smaller at the ends, mode 0 the fastest. The
/// elements of a piece follow one another in `order`.
struct piece_grid {
    extents_t extents; ///< of a piece
    memory_order order = memory_order::c;

    /// Pieces of at most most_piece_bytes, or of one element; no piece of a box without elements.
    /// The elements of a piece follow one another in the box, too, unless they would be scattered
    /// over the memory of the rank: then a piece has 256 bytes that lie together there, and as many
    /// rows of them in `order`.
    static piece_grid of(const extents_t &box, data_type type, memory_order order);

    index_t count(const extents_t &box) const noexcept;
    /// The place of a piece in the box; `number` is below count().
    slice at(const extents_t &box, index_t number) const;
};

/// A transfer as a rank knows it.
struct bulk_transfer {
    std::uint64_t number = 0;
    token_hash secret{};
    bool is_upload = false;
    std::chrono::steady_clock::time_point until; ///< later connections and pieces are refused
    data_type type = data_type::f64;
    extents_t box;                ///< the extents of this rank's part; order 0: see `is_empty`
    bool is_empty = false;        ///< this rank has no part
    std::vector<index_t> strides; ///< of the memory, in elements
    char *memory = nullptr;       ///< the first element of the part; only read by downloads
    piece_grid pieces;
};

class bulk_desk {
    struct entry;
    class hold;

public:
    /// A transfer for which a connection had the secret. It does not keep the transfer open.
    class ticket {
    public:
        ticket() = default;
        explicit operator bool() const noexcept { return entry_ != nullptr; }

    private:
        friend class bulk_desk;
        std::shared_ptr<entry> entry_;
    };

    void open(bulk_transfer what);
    /// Does nothing if it is not open. Waits for at most one piece of each thread.
    void close(std::uint64_t number);
    /// Pieces of an upload that have not come yet; empty if it is not open.
    std::optional<index_t> missing(std::uint64_t number) const;
    std::size_t size() const;

    /// Empty unless a transfer of this number is open and has this secret, which is compared in
    /// constant time.
    ticket admit(std::uint64_t number, std::span<const unsigned char, secret_bytes> secret) const;
    bool is_open(const ticket &of) const;
    bool is_upload(const ticket &of) const;
    /// Bytes of a piece; empty if there is none of this number.
    std::optional<index_t> piece_bytes(const ticket &of, std::uint64_t number) const;
    /// A piece of an upload: writes it to where it belongs.
    bulk_status take(const ticket &of, std::uint64_t number,
                     std::span<const unsigned char> elements);
    /// A piece of a download: reads it into `elements`, which has as many bytes.
    bulk_status give(const ticket &of, std::uint64_t number,
                     std::span<unsigned char> elements) const;

    /// Whether show() works: for pieces of a download that lie in memory as in a frame.
    bool can_show(const ticket &of, std::uint64_t number) const;
    /// Such a piece where it is: calls look(elements), which must not wait for anybody.
    bulk_status show(const ticket &of, std::uint64_t number,
                     const std::function<void(std::span<const unsigned char>)> &look) const;

private:
    /// Calls move(held, piece, memory) for a piece of so many bytes, while the transfer is kept
    /// from being closed.
    template <class Move> bulk_status move(const ticket &of, std::uint64_t number,
                                           std::size_t bytes, const Move &move) const;

    mutable std::mutex mutex_;
    mutable std::condition_variable moved_;
    std::map<std::uint64_t, std::shared_ptr<entry>> open_;
};

} // namespace tenfold::server
