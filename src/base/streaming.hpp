// Non-temporal stores, which bypass the caches.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenfold/types.hpp>

namespace tenfold::base {

/// Bytes that stores past the caches write at once.
inline constexpr index_t streamed_line = 64;

/// Non-temporal stores are not ordered with other stores; this fence makes them visible to later
/// readers.
inline void finish_streaming() noexcept {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

/// Copies with non-temporal stores, except for the parts of lines at both ends of `to`. The caller
/// calls finish_streaming().
inline void copy_past_caches(std::byte *to, const std::byte *from, index_t count) noexcept {
#if defined(__x86_64__)
    constexpr index_t bytes_of_store = sizeof(__m128i);
    const auto begun = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(to) % streamed_line);
    const index_t head = std::min(count, (streamed_line - begun) % streamed_line);
    std::memcpy(to, from, static_cast<std::size_t>(head));
    index_t at = head;
    for (; at + streamed_line <= count; at += streamed_line)
        for (index_t part = at; part < at + streamed_line; part += bytes_of_store)
            _mm_stream_si128(reinterpret_cast<__m128i *>(to + part),
                             _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + part)));
    std::memcpy(to + at, from + at, static_cast<std::size_t>(count - at));
#else
    std::memcpy(to, from, static_cast<std::size_t>(count));
#endif
}

} // namespace tenfold::base
