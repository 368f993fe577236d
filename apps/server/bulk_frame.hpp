// Frames of bulk data: what clients and ranks send each other beside HTTP. docs/server.md describes
// them, python/tenfold/client/_bulk.py speaks them, too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <tenfold/types.hpp>

namespace tenfold::server {

enum class frame_kind : std::uint32_t {
    hello = 1,   ///< client: number of the transfer; the secret follows
    answer = 2,  ///< rank: number is a bulk_status, or, where that is ok, size what was taken
    piece = 3,   ///< number of the piece; its elements follow
    request = 4, ///< client: the first piece and, as size, how many it wants
    end = 5      ///< client: asks how many pieces were taken
};

/// How a rank answers, as the number of the frame. After all but ok it closes the connection.
enum class bulk_status : std::uint64_t {
    ok = 0,
    unauthorized = 1, ///< no such transfer, another secret, or it has ended
    malformed = 2,    ///< a frame that may not come here
    wrong_piece = 3,  ///< there is no such piece, or it has another size
    damaged = 4       ///< the checksum differs
};

/// What precedes the bytes of a frame. On the wire: four little-endian numbers.
struct frame_head {
    frame_kind kind = frame_kind::answer;
    std::uint32_t checksum = 0;
    std::uint64_t number = 0;
    std::uint64_t size = 0; ///< bytes that follow, of hello and piece

    static constexpr std::size_t bytes = 24;
    std::array<unsigned char, bytes> encode() const noexcept;
    static frame_head decode(std::span<const unsigned char, bytes> from) noexcept;

    friend bool operator==(const frame_head &, const frame_head &) = default;
};

/// A transfer's secret, as text: hexadecimal digits.
inline constexpr std::size_t secret_bytes = 64;
/// The largest piece, but for one of a single element.
inline constexpr index_t most_piece_bytes = index_t{1} << 20;

/// The checksum of a frame. Its bytes, as 64-bit words in rows of 1021 and filled up with zeros,
/// are added up modulo 2^64 by columns; the checksum is the CRC-32 (zlib's) of the head with a
/// checksum of 0 and of the sums; of the head alone if no bytes follow. All errors within one word
/// are found, and words that changed places, but by a multiple of 8168 bytes: pages and packets do
/// not. A CRC of all bytes would take as long as to send them: zlib's runs at 1.6 GB/s. Sums of
/// rows, too, would double what the client pays, for which each pass counts.
std::uint32_t frame_checksum(const frame_head &head,
                             std::span<const unsigned char> content) noexcept;

/// The same of content that comes part by part, each of which is summed while the caches have it.
class frame_sums {
public:
    static constexpr std::size_t columns = 1021; // prime
    static constexpr std::size_t row_bytes = columns * sizeof(std::uint64_t);

    /// The next bytes: whole rows, unless they are the last.
    void add(std::span<const unsigned char> part) noexcept;
    std::uint32_t checksum(const frame_head &head) const noexcept;

private:
    std::array<std::uint64_t, columns> sums_{};
    bool has_any_ = false;
};

} // namespace tenfold::server
