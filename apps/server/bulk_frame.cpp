#include "apps/server/bulk_frame.hpp"

#include <algorithm>
#include <cstring>

#include <zlib.h>

namespace tenfold::server {
namespace {

constexpr std::size_t columns = frame_sums::columns;
constexpr std::size_t row_bytes = frame_sums::row_bytes;

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

std::uint64_t word_at(const unsigned char *bytes, std::size_t number) noexcept {
    std::uint64_t word; // of the native order
    std::memcpy(&word, bytes + number * sizeof word, sizeof word);
    return word;
}

/// Adds so many rows to the sums, which are read and written once for all of them.
template <std::size_t rows>
void add_rows(const unsigned char *first, std::array<std::uint64_t, columns> &sums) noexcept {
    for (std::size_t i = 0; i < columns; ++i) {
        std::uint64_t sum = 0;
        for (std::size_t row = 0; row < rows; ++row)
            sum += word_at(first + row * row_bytes, i);
        sums[i] += sum;
    }
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

void frame_sums::add(std::span<const unsigned char> part) noexcept {
    constexpr std::size_t at_once = 4;
    has_any_ = has_any_ || !part.empty();
    const unsigned char *from = part.data();
    std::size_t left = part.size() / row_bytes;
    for (; left >= at_once; left -= at_once, from += at_once * row_bytes)
        add_rows<at_once>(from, sums_);
    for (; left > 0; --left, from += row_bytes)
        add_rows<1>(from, sums_);
    if (const std::size_t rest = part.size() % row_bytes; rest > 0) {
        std::array<unsigned char, row_bytes> row{};
        std::memcpy(row.data(), from, rest);
        add_rows<1>(row.data(), sums_);
    }
}

std::uint32_t frame_sums::checksum(const frame_head &head) const noexcept {
    frame_head unchecked = head;
    unchecked.checksum = 0;
    const auto start = unchecked.encode();
    uLong crc = crc32_z(0, start.data(), start.size());
    if (has_any_)
        crc = crc_of(crc, sums_);
    return static_cast<std::uint32_t>(crc);
}

std::uint32_t frame_checksum(const frame_head &head,
                             std::span<const unsigned char> content) noexcept {
    frame_sums sums;
    sums.add(content);
    return sums.checksum(head);
}

} // namespace tenfold::server
