#include "apps/server/bulk_frame.hpp"

#include <algorithm>
#include <cstring>

#include <zlib.h>

namespace tenfold::server {
namespace {

constexpr std::size_t columns = 128;
constexpr std::size_t row_bytes = columns * sizeof(std::uint64_t);
static_assert(most_piece_bytes % row_bytes == 0);

template <class Number> unsigned char *put(unsigned char *at, Number value) noexcept {
    for (std::size_t i = 0; i < sizeof value; ++i)
        *at++ = static_cast<unsigned char>(value >> (8 * i));
    return at;
}

template <class Number> Number get(const unsigned char *&at) noexcept {
    Number value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i)
        value |= static_cast<Number>(*at++) << (8 * i);
    return value;
}

uLong crc_of(uLong crc, std::span<const std::uint64_t> words) noexcept {
    std::array<unsigned char, row_bytes> bytes;
    unsigned char *end = bytes.data();
    for (const std::uint64_t word : words)
        end = put(end, word);
    return crc32_z(crc, bytes.data(), static_cast<std::size_t>(end - bytes.data()));
}

using sums_of_columns = std::array<std::uint64_t, columns>;

std::uint64_t word_at(const unsigned char *bytes, std::size_t number) noexcept {
    std::uint64_t word; // of the native order
    std::memcpy(&word, bytes + number * sizeof word, sizeof word);
    return word;
}

/// Adds so many rows to the sums of columns, which are read and written once for all of them, and
/// writes theirs.
template <std::size_t rows> void add_rows(const unsigned char *first, sums_of_columns &sums,
                                          std::uint64_t *of_rows) noexcept {
    std::array<std::uint64_t, rows> of_row{};
    for (std::size_t i = 0; i < columns; ++i) {
        std::uint64_t of_column = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            const std::uint64_t word = word_at(first + row * row_bytes, i);
            of_column += word;
            of_row[row] += word;
        }
        sums[i] += of_column;
    }
    std::copy(of_row.begin(), of_row.end(), of_rows);
}

} // namespace

std::array<unsigned char, frame_head::bytes> frame_head::encode() const noexcept {
    std::array<unsigned char, bytes> result;
    put(put(put(put(result.data(), static_cast<std::uint32_t>(kind)), checksum), number), size);
    return result;
}

frame_head frame_head::decode(std::span<const unsigned char, bytes> from) noexcept {
    const unsigned char *at = from.data();
    frame_head result;
    result.kind = static_cast<frame_kind>(get<std::uint32_t>(at));
    result.checksum = get<std::uint32_t>(at);
    result.number = get<std::uint64_t>(at);
    result.size = get<std::uint64_t>(at);
    return result;
}

std::uint32_t frame_checksum(const frame_head &head,
                             std::span<const unsigned char> content) noexcept {
    frame_head unchecked = head;
    unchecked.checksum = 0;
    const auto start = unchecked.encode();
    uLong crc = crc32_z(0, start.data(), start.size());
    if (content.empty())
        return static_cast<std::uint32_t>(crc);
    constexpr std::size_t at_once = 4;
    sums_of_columns sums{};
    std::array<std::uint64_t, most_piece_bytes / row_bytes> sums_of_rows;
    std::size_t rows = 0;
    const std::size_t full = content.size() / row_bytes;
    for (; rows + at_once <= full; rows += at_once)
        add_rows<at_once>(content.data() + rows * row_bytes, sums, &sums_of_rows[rows]);
    for (; rows < full; ++rows)
        add_rows<1>(content.data() + rows * row_bytes, sums, &sums_of_rows[rows]);
    if (const std::size_t rest = content.size() % row_bytes; rest > 0) {
        std::array<unsigned char, row_bytes> row{};
        std::memcpy(row.data(), content.data() + full * row_bytes, rest);
        add_rows<1>(row.data(), sums, &sums_of_rows[rows++]);
    }
    crc = crc_of(crc, sums);
    for (std::size_t first = 0; first < rows; first += columns)
        crc = crc_of(crc, {sums_of_rows.data() + first, std::min(columns, rows - first)});
    return static_cast<std::uint32_t>(crc);
}

} // namespace tenfold::server
