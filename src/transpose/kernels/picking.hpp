// Tables for permutations of a few registers: rows interleaved, and taken apart again. Included by
// kernel sources only.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace tenfold::transpose_impl {
namespace {

/// How N registers are put together from N registers: the word that each of their words is, and the
/// register it is taken from.
template <int N> struct picking {
    static constexpr auto registers_needed = static_cast<size_t>(N);

    alignas(64) int32_t place[registers_needed][16] = {};
    uint16_t from[registers_needed][registers_needed] = {};

    constexpr void set(int to, int word, int source, int place_there) {
        place[to][word] = place_there;
        from[to][source] = static_cast<uint16_t>(from[to][source] | 1 << word);
    }
};

/// From N columns one row after the other.
template <int Words, int N> constexpr picking<N> interleaving() {
    picking<N> made;
    for (int k = 0; k < N; ++k)
        for (int word = 0; word < 16; ++word) {
            const int element = (16 * k + word) / Words;
            made.set(k, word, element % N, element / N * Words + word % Words);
        }
    return made;
}

/// From columns of N elements, one after the other, N rows.
template <int Words, int N> constexpr picking<N> separating() {
    picking<N> made;
    for (int row = 0; row < N; ++row)
        for (int word = 0; word < 16; ++word) {
            const int at = (word / Words * N + row) * Words + word % Words;
            made.set(row, word, at / 16, at % 16);
        }
    return made;
}

} // namespace
} // namespace tenfold::transpose_impl
