// Strips transposed in registers, tile by tile, while what comes next is fetched. Included by
// kernel sources only.
#pragma once

#include "transpose/kernels/line_mover.hpp"
#include "transpose/kernels/tile_mover.hpp"

namespace tenfold::transpose_impl {
namespace {

/// Localities of __builtin_prefetch().
constexpr int into_l1 = 3, into_l2 = 1;

/// Columns that differ by multiples of a page lie in the same banks of memory: read at the same
/// places one waits for the other. Each column is therefore fetched some tiles further ahead than
/// the one before it.
template <int64_t Width, int Locality> [[gnu::always_inline]] inline void
prefetch_skewed(const strip &s, const tile_list &list, int64_t at, int64_t skew, int64_t j) {
#pragma GCC unroll 16
    for (int64_t k = 0; k < Width; ++k, at += skew) {
        const bool wraps = at >= list.count;
        __builtin_prefetch((wraps ? s.next : s.columns)[j + k] +
                               list.tiles[at - (wraps ? list.count : 0)].src,
                           0, Locality);
    }
}

/// A tile of `Width` columns.
template <int64_t Width, int Locality>
[[gnu::always_inline]] inline void prefetch_columns(const char *const *columns, int64_t src) {
#pragma GCC unroll 16
    for (int64_t k = 0; k < Width; ++k)
        __builtin_prefetch(columns[k] + src, 0, Locality);
}

/// The rows of a tile in B.
template <int Locality>
[[gnu::always_inline]] inline void prefetch_rows(const char *d, const tile &later) {
    for (int64_t k = 0; k < later.rows; ++k)
        __builtin_prefetch(d + later.row_at[k], Locality == into_l1, Locality);
}

/// A strip of two to four columns that is a whole run, and the rows of each tile follow each other.
template <class E, class Mover>
void interleave_strip(const Mover &mover, const strip &s, const tile_list &list, int64_t ahead) {
    for (int64_t t = 0; t < list.count; ++t) {
        const tile now = list.tiles[t];
        if (ahead > 0) {
            const bool wraps = t + ahead >= list.count;
            const tile &later = list.tiles[t + ahead - (wraps ? list.count : 0)];
            char *const d = s.dst + later.dst + later.row_at[0];
            for (int64_t k = 0; k < s.n; ++k) {
                __builtin_prefetch((wraps ? s.next : s.columns)[k] + later.src);
                if (!wraps)
                    __builtin_prefetch(d + k * line, 1);
            }
        }
        mover.interleaved(s.columns, s.n, now.src, now.rows, s.dst + now.dst + now.row_at[0]);
    }
}

/// Into a buffer, while as many tiles of the next columns are fetched, each of their lines once.
template <class E, class Mover>
void buffer_strip(const Mover &mover, const strip &s, const tile_list &list) {
    constexpr int64_t w = E::width;
    int64_t fetched = -line;
    for (int64_t t = 0; t < list.count; ++t) {
        const tile now = list.tiles[t];
        const bool fetches = s.ahead > 0 && (now.src < fetched || now.src - fetched >= line);
        if (fetches)
            fetched = now.src / line * line;
        int64_t j = 0;
        for (; j + w <= s.n; j += w) {
            if (fetches) {
#pragma GCC unroll 16
                for (int64_t k = 0; k < w; ++k)
                    __builtin_prefetch(s.next[j + k] + now.src);
            }
            mover.block(s.columns + j, w, now.src, now.rows, s.dst + now.dst + j * E::size_b,
                        now.row_at, s.edges, nullptr);
        }
        if (j < s.n)
            mover.few_columns(s.columns + j, s.n - j, now.src, now.rows,
                              s.dst + now.dst + j * E::size_b, now.row_at, s.edges, nullptr);
    }
}

/// Level: locality of what is fetched. A choice for each tile costs transpositions of short tiles
/// up to 5 % of their time.
template <class E, int Size, class Math, store_kind Store, int Level>
void move_strip(const strip &s, const tile_list &list, const operation &op) {
    constexpr int64_t w = E::width;
    constexpr bool by_lines = (Store != store_kind::plain || Math::reads_y) && E::joins_lines;
    constexpr int64_t columns_at_once = by_lines ? line / E::size_b : w;
    const Math math(op);
    // What cannot be written by whole lines is not worth it.
    const tile_mover<E, Size, Math, by_lines ? store_kind::plain : Store> mover{math};
    const line_mover<E, Size, Math, Store> lines{math};
    const int64_t ahead = s.ahead < list.count ? s.ahead : list.count;
    // At most one panel ahead for the last column too.
    const int64_t skew_room =
        (list.count - ahead) / (columns_at_once > 1 ? columns_at_once - 1 : 1);
    const int64_t skew = s.skew < skew_room ? s.skew : skew_room;
    constexpr bool as_they_are = registers::picks && !E::converts;
    if constexpr (as_they_are && !Math::computes && Store == store_kind::plain)
        if (s.joined && 2 <= s.n && s.n <= 4)
            return interleave_strip<E>(mover, s, list, ahead);
    if constexpr (!Math::computes && Store == store_kind::plain)
        if (s.buffered)
            return buffer_strip<E>(mover, s, list);
    const int64_t rows = list.tiles[0].rows; // of all tiles, where they are fewer than a register's
    constexpr bool repeats = Store == store_kind::plain && !Math::reads_y;
    const bool separates = as_they_are && s.dense && 2 <= rows && rows <= 4;
    for (int64_t t = 0; t < list.count; ++t) {
        const tile now = list.tiles[t];
        const bool wraps = t + ahead >= list.count;
        const tile &later = list.tiles[t + ahead - (wraps ? list.count : 0)];
        const char *const *later_columns = wraps ? s.next : s.columns;
        for (int64_t next = 0; next < s.n; next += columns_at_once) {
            // Rather some columns twice than registers that are mostly idle.
            const bool again =
                repeats && next > 0 && next + w > s.n && (now.rows < w || next + 16 / Size < s.n);
            const int64_t j = again ? s.n - w : next;
            if (skew > 0) {
                prefetch_skewed<columns_at_once, Level>(s, list, t + ahead, skew, j);
            } else if (separates && ahead > 0) {
                for (int64_t k = 0; k < rows; ++k)
                    __builtin_prefetch(later_columns[j] + later.src + k * line);
            } else if (ahead > 0) {
                prefetch_columns<columns_at_once, Level>(later_columns + j, later.src);
            }
            if (Store == store_kind::plain && ahead > 0) {
                const char *const d = s.dst + later.dst + (j + (wraps ? s.n : 0)) * E::size_b;
                prefetch_rows<Level>(d, later);
            }
            const int64_t n = s.n - j < columns_at_once ? s.n - j : columns_at_once;
            const strip_edges edges = {s.edges.first && j == 0,
                                       s.edges.last && j + columns_at_once >= s.n, s.edges.primes};
            char *const dst = s.dst + now.dst + j * E::size_b;
            char *const carry = s.carry + t * w * line;
            if constexpr (by_lines) {
                if (Store == store_kind::carried ||
                    (n == columns_at_once && (Math::reads_y || lies_on<line>(dst)))) {
                    lines.block(s.columns + j, n, now.src, now.rows, dst, now.row_at, edges, carry);
                    continue;
                }
            }
            for (int64_t k = 0; k < n; k += w) {
                const int64_t some = n - k < w ? n - k : w;
                if (separates && some == w)
                    mover.separated(s.columns[j] + now.src, rows, dst, now.row_at, edges, carry);
                else if (some == w)
                    mover.block(s.columns + j + k, w, now.src, now.rows, dst + k * E::size_b,
                                now.row_at, edges, carry);
                else
                    mover.few_columns(s.columns + j + k, some, now.src, now.rows,
                                      dst + k * E::size_b, now.row_at, edges, carry);
            }
        }
    }
}

template <class E, int Size, class Math, store_kind Store>
void by_level(const strip &s, const tile_list &list, const operation &op) {
    if (s.far)
        return move_strip<E, Size, Math, Store, into_l2>(s, list, op);
    move_strip<E, Size, Math, Store, into_l1>(s, list, op);
}

template <class E, int Size, class Math>
void by_store(const strip &s, const tile_list &list, const operation &op) {
    if constexpr (!Math::reads_y) {
        if constexpr (E::carries)
            if (op.store == store_kind::carried)
                return by_level<E, Size, Math, store_kind::carried>(s, list, op);
        if (op.store == store_kind::streamed)
            return by_level<E, Size, Math, store_kind::streamed>(s, list, op);
    }
    by_level<E, Size, Math, store_kind::plain>(s, list, op);
}

/// E's elements, computed with in T; those of twice its size are complex.
template <class E, class T, int Size, term X>
void scale_with_x(const strip &s, const tile_list &list, const operation &op) {
    constexpr bool complex = Size == 2 * static_cast<int>(sizeof(T));
    if (op.y == term::absent)
        by_store<E, Size, arithmetic<T, X, term::absent>>(s, list, op);
    else if (!complex || op.y == term::straight)
        by_store<E, Size, arithmetic<T, X, term::straight>>(s, list, op);
    else if constexpr (complex)
        by_store<E, Size, arithmetic<T, X, term::crossed>>(s, list, op);
}

template <class T, int Size, template <int> class A = same, template <int> class B = same>
void scale(const strip &s, const tile_list &list, const operation &op) {
    using E = element<Size, A, B>;
    if constexpr (Size == 2 * sizeof(T))
        if (op.x == term::crossed)
            return scale_with_x<E, T, Size, term::crossed>(s, list, op);
    scale_with_x<E, T, Size, term::straight>(s, list, op);
}

} // namespace
} // namespace tenfold::transpose_impl
