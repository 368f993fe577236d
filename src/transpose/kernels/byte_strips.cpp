// Strips of elements of one byte: as they are, or computed with.
#include "simd/entry.hpp"
#include "transpose/kernels/byte_mover.hpp"
#include "transpose/kernels/strip_mover.hpp"

namespace tenfold::transpose_impl {
namespace {

/// Where a register is a line, lines can wait until they are complete.
constexpr bool carries = registers::funnels && registers::bytes == line;

/// A line of A is four tiles long: it is fetched with the first of them.
template <store_kind Store, int Level>
void move_strip_of_bytes(const strip &s, const tile_list &list) {
    const int64_t ahead = s.ahead < list.count ? s.ahead : list.count;
    int64_t fetched = 0; // where the tile lies with which lines of A were fetched last
    for (int64_t t = 0; t < list.count; ++t) {
        const tile now = list.tiles[t];
        const bool wraps = t + ahead >= list.count;
        const tile &later = list.tiles[t + ahead - (wraps ? list.count : 0)];
        const char *const *later_columns = wraps ? s.next : s.columns;
        const int64_t moved_on = later.src - fetched;
        const bool fetches = ahead > 0 && (t == 0 || moved_on < 0 || moved_on >= line);
        if (fetches)
            fetched = later.src;
        for (int64_t next = 0; next < s.n; next += line) {
            // Rather some columns twice than registers that are mostly idle.
            const bool again = Store == store_kind::plain && next > 0 && next + line > s.n;
            const int64_t j = again ? s.n - line : next;
            const int64_t n = s.n - j < line ? s.n - j : line;
            if (fetches)
                for (int64_t k = j; k < j + n; ++k)
                    __builtin_prefetch(later_columns[k] + later.src, 0, Level);
            if (Store == store_kind::plain && ahead > 0 && !s.buffered)
                prefetch_rows<Level>(s.dst + later.dst + j + (wraps ? s.n : 0), later);
            char *const dst = s.dst + now.dst + j;
            if constexpr (Store == store_kind::carried) {
                byte_mover::carried_line(
                    s.columns + j, n, now.src, now.rows, dst, now.row_at,
                    {s.edges.first && j == 0, s.edges.last && j + line >= s.n, s.edges.primes},
                    s.carry + t * byte_mover::most_rows * line);
                continue;
            }
            if (n < line)
                byte_mover::few_columns(s.columns + j, n, now.src, now.rows, dst, now.row_at);
            else if (Store == store_kind::streamed && lies_on<line>(dst))
                byte_mover::whole_line<true>(s.columns + j, now.src, now.rows, dst, now.row_at);
            else
                byte_mover::whole_line<false>(s.columns + j, now.src, now.rows, dst, now.row_at);
        }
    }
}

template <store_kind Store> void by_level(const strip &s, const tile_list &list) {
    if (s.far)
        return move_strip_of_bytes<Store, into_l2>(s, list);
    move_strip_of_bytes<Store, into_l1>(s, list);
}

void copy(const strip &s, const tile_list &list, const operation &op) {
    if constexpr (carries)
        if (op.store == store_kind::carried)
            return by_level<store_kind::carried>(s, list);
    if (op.store == store_kind::streamed)
        return by_level<store_kind::streamed>(s, list);
    by_level<store_kind::plain>(s, list);
}

/// n bytes of a row that lie at x. Stream: y lies on a line, of which n is a multiple.
template <class Math, bool Stream> [[gnu::always_inline]] inline void
compute_row(const char *x, int64_t n, char *y, const Math &math) {
    using E = element<1>;
    for (; n >= E::width; n -= E::width, x += E::width, y += E::width) {
        reg v{};
        if constexpr (Math::reads_y)
            v = E::load_result(y);
        E::store<Stream>(y, math(E::load(x), v));
    }
    if (n > 0) {
        reg v{};
        if constexpr (Math::reads_y)
            v = E::load_result(y, 0, n);
        E::store_part(y, math(E::load(x), v), 0, n);
    }
}

/// By way of a line's columns in the L1 cache, where they have been transposed.
template <class Math, int Level>
void compute_strip(const strip &s, const tile_list &list, const operation &op) {
    const Math math(op);
    const bool streams = !Math::reads_y && op.store == store_kind::streamed;
    const int64_t ahead = s.ahead < list.count ? s.ahead : list.count;
    alignas(line) char turned[static_cast<size_t>(line * byte_mover::most_rows)];
    int64_t turned_at[static_cast<size_t>(byte_mover::most_rows)];
    for (int64_t i = 0; i < byte_mover::most_rows; ++i)
        turned_at[i] = i * line;
    for (int64_t t = 0; t < list.count; ++t) {
        const tile now = list.tiles[t];
        const bool wraps = t + ahead >= list.count;
        const tile &later = list.tiles[t + ahead - (wraps ? list.count : 0)];
        const char *const *later_columns = wraps ? s.next : s.columns;
        for (int64_t j = 0; j < s.n; j += line) {
            const int64_t n = s.n - j < line ? s.n - j : line;
            if (ahead > 0) {
                for (int64_t k = j; k < j + n; ++k)
                    __builtin_prefetch(later_columns[k] + later.src, 0, Level);
                if (!streams)
                    prefetch_rows<Level>(s.dst + later.dst + j + (wraps ? s.n : 0), later);
            }
            if (n < line)
                byte_mover::few_columns(s.columns + j, n, now.src, now.rows, turned, turned_at);
            else
                byte_mover::whole_line<false>(s.columns + j, now.src, now.rows, turned, turned_at);
            char *const dst = s.dst + now.dst + j;
            const bool past_cache = streams && n == line && lies_on<line>(dst);
            for (int64_t i = 0; i < now.rows; ++i) {
                if (past_cache)
                    compute_row<Math, true>(turned + i * line, n, dst + now.row_at[i], math);
                else
                    compute_row<Math, false>(turned + i * line, n, dst + now.row_at[i], math);
            }
        }
    }
}

template <term Y> void compute_with_y(const strip &s, const tile_list &list, const operation &op) {
    using math = byte_arithmetic<term::straight, Y>;
    if (s.far)
        return compute_strip<math, into_l2>(s, list, op);
    compute_strip<math, into_l1>(s, list, op);
}

void compute(const strip &s, const tile_list &list, const operation &op) {
    if (s.edges.primes) // nothing waits to be completed
        return;
    if (op.y == term::absent)
        return compute_with_y<term::absent>(s, list, op);
    compute_with_y<term::straight>(s, list, op);
}

} // namespace
} // namespace tenfold::transpose_impl

using namespace tenfold::transpose_impl;
TENFOLD_DEFINE_ENTRY(byte_strip_kernels, {.copy = copy, .compute = compute, .carries = carries})
