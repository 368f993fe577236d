// Strips transposed in registers: W registers of W elements pass through a shuffle network of
// log2(W) steps. The steps below 128 bits are unpacks within lanes, which run on every shuffle port
// with a latency of one cycle; the rest exchange whole lanes. SVE has a network of its own.
#include "transpose/kernels/elements.hpp"
#include "transpose/kernels/picking.hpp"

namespace tenfold::transpose_impl {
namespace {

/// 4 x 4 words in each lane of four registers.
template <class Isa> [[gnu::always_inline]] inline void transpose_words(reg *r) {
    const reg low01 = Isa::low32(r[0], r[1]);
    const reg high01 = Isa::high32(r[0], r[1]);
    const reg low23 = Isa::low32(r[2], r[3]);
    const reg high23 = Isa::high32(r[2], r[3]);
    r[0] = Isa::low64(low01, low23);
    r[1] = Isa::high64(low01, low23);
    r[2] = Isa::low64(high01, high23);
    r[3] = Isa::high64(high01, high23);
}

/// 2 x 2 double words in each lane of two registers.
template <class Isa> [[gnu::always_inline]] inline void transpose_double_words(reg *r) {
    const reg low = Isa::low64(r[0], r[1]);
    r[1] = Isa::high64(r[0], r[1]);
    r[0] = low;
}

/// Within each lane of as many registers as a lane has elements.
template <int Size, class Isa = registers>
[[gnu::always_inline]] inline void transpose_in_lanes(reg *r) {
    if constexpr (Isa::own_networks)
        Isa::template transpose_in_lanes<Size>(r);
    else if constexpr (Size == 4)
        transpose_words<Isa>(r);
    else if constexpr (Size == 8)
        transpose_double_words<Isa>(r);
}

template <int Size, class Isa = registers>
[[gnu::always_inline]] inline void transpose_registers(reg *r) {
    constexpr int per_lane = 16 / Size;
    if constexpr (Isa::own_networks) {
        Isa::template transpose<Size>(r);
    } else {
#pragma GCC unroll 8
        for (int lane = 0; lane < Isa::lanes; ++lane)
            transpose_in_lanes<Size>(r + lane * per_lane);
#pragma GCC unroll 8
        for (int c = 0; c < per_lane; ++c)
            Isa::transpose_lanes(r + c, per_lane);
    }
}

template <int64_t Boundary> [[gnu::always_inline]] inline bool lies_on(const char *p) {
    return reinterpret_cast<uintptr_t>(p) % static_cast<uintptr_t>(Boundary) == 0;
}

/// A row's register of n elements for address d: the line before d's is completed by what waits in
/// `slot`, and what goes beyond it waits there in turn.
template <class E> [[gnu::always_inline]] inline void carry_row(char *d, reg v, int64_t n,
                                                                strip_edges edges, char *slot) {
    const reg waiting = registers::load(slot);
    registers::store(slot, v);
    if (edges.primes)
        return;
    const int64_t phase = static_cast<int64_t>(reinterpret_cast<uintptr_t>(d) % line);
    const int64_t before = phase / E::size_b;
    char *const base = d - phase;
    const reg shifted = E::isa::funnel(waiting, v, phase / 4);
    const int64_t first = edges.first ? before : 0;
    const int64_t end = before + n;
    if (first == 0 && end >= E::width)
        registers::stream(base, shifted);
    else
        E::store_part(base, shifted, first, end < E::width ? end : E::width);
    if (edges.last && end > E::width)
        E::store_part(base + line, E::isa::funnel(v, v, phase / 4), 0, end - E::width);
}

/// One strip at one tile, at most W columns of W at a time.
template <class E, int Size, class Math, store_kind Store> struct tile_mover {
    static constexpr int64_t w = E::width;
    static constexpr auto registers_needed = static_cast<size_t>(w);
    static constexpr int per_lane = 16 / Size;
    static constexpr bool converts = E::size_a != E::size_b;

    const Math &math;

    /// n <= w columns of `rows` elements. A block of few rows is put together from parts of
    /// registers, so that the network has the less to do.
    [[gnu::always_inline]] void block(const char *const *columns, int64_t n, int64_t src,
                                      int64_t rows, char *dst, const int64_t *row_at,
                                      strip_edges edges, char *carry) const {
        reg r[registers_needed];
        if (rows == w) {
#pragma GCC unroll 16
            for (int64_t j = 0; j < w; ++j)
                r[j] = E::load(columns[j] + src);
            transpose_registers<Size>(r);
            write<w>(r, w, n, dst, row_at, edges, carry);
        } else if (!converts && rows <= per_lane) {
#pragma GCC unroll 4
            for (int c = 0; c < per_lane; ++c)
                r[c] = registers::from_lanes(columns + c, per_lane, src, rows * E::words_a);
            transpose_in_lanes<Size>(r);
            write<per_lane>(r, rows, n, dst, row_at, edges, carry);
        } else if (!converts && registers::lanes == 4 && rows <= 2 * per_lane) {
            if constexpr (registers::lanes == 4)
                half_columns(columns, src, rows, r);
            write<2 * per_lane>(r, rows, n, dst, row_at, edges, carry);
        } else {
#pragma GCC unroll 16
            for (int64_t j = 0; j < w; ++j)
                r[j] = E::load_part(columns[j] + src, rows);
            transpose_registers<Size>(r);
            write<w>(r, rows, n, dst, row_at, edges, carry);
        }
    }

    /// n < w columns: the last one stands in for those that are not there.
    [[gnu::noinline]] void few_columns(const char *const *columns, int64_t n, int64_t src,
                                       int64_t rows, char *dst, const int64_t *row_at,
                                       strip_edges edges, char *carry) const {
        if (Store == store_kind::plain && !Math::computes && rows == w &&
            n <= (registers::lanes > 2 ? 2 : 1) * per_lane) {
            for (int64_t first = 0; first < n; first += per_lane)
                few_at_once(columns + first, n - first < per_lane ? n - first : per_lane, src,
                            dst + first * E::size_b, row_at);
            return;
        }
        const char *filled[registers_needed];
#pragma GCC unroll 16
        for (int64_t j = 0; j < w; ++j)
            filled[j] = columns[j < n ? j : n - 1];
        block(filled, n, src, rows, dst, row_at, edges, carry);
    }

    /// Two to four columns whose rows follow each other in B.
    [[gnu::always_inline]] void interleaved(const char *const *columns, int64_t n, int64_t src,
                                            int64_t rows, char *dst) const {
        if constexpr (registers::picks) {
            if (n == 2)
                interleave<2>(columns, src, rows, dst);
            else if (n == 3)
                interleave<3>(columns, src, rows, dst);
            else
                interleave<4>(columns, src, rows, dst);
        }
    }

    /// w columns of two to four rows that follow each other in A.
    [[gnu::always_inline]] void separated(const char *x, int64_t rows, char *dst,
                                          const int64_t *row_at, strip_edges edges,
                                          char *carry) const {
        if constexpr (registers::picks) {
            if (rows == 2)
                separate<2>(x, dst, row_at, edges, carry);
            else if (rows == 3)
                separate<3>(x, dst, row_at, edges, carry);
            else
                separate<4>(x, dst, row_at, edges, carry);
        }
    }

private:
    template <int N>
    [[gnu::always_inline]] static reg picked(const reg *v, const picking<N> &table, int k) {
        const reg place = E::isa::load(table.place[k]);
        reg result = E::isa::pick(v[0], place);
#pragma GCC unroll 4
        for (int j = 1; j < N; ++j)
            result = E::isa::pick(result, v[j], place, table.from[k][j]);
        return result;
    }

    template <int N> [[gnu::always_inline]] static void
    interleave(const char *const *columns, int64_t src, int64_t rows, char *dst) {
        static constexpr auto table = interleaving<static_cast<int>(E::words_a), N>();
        reg c[static_cast<size_t>(N)];
        if (rows == w) {
#pragma GCC unroll 4
            for (int j = 0; j < N; ++j)
                c[j] = E::load(columns[j] + src);
#pragma GCC unroll 4
            for (int k = 0; k < N; ++k)
                E::isa::store(dst + k * registers::bytes, picked<N>(c, table, k));
            return;
        }
#pragma GCC unroll 4
        for (int j = 0; j < N; ++j)
            c[j] = E::load_part(columns[j] + src, rows);
        int64_t left = N * rows;
#pragma GCC unroll 4
        for (int k = 0; k < N; ++k, left -= w)
            if (left > 0)
                E::store_part(dst + k * registers::bytes, picked<N>(c, table, k), 0,
                              left < w ? left : w);
    }

    template <int N> [[gnu::always_inline]] void separate(const char *x, char *dst,
                                                          const int64_t *row_at, strip_edges edges,
                                                          char *carry) const {
        static constexpr auto table = separating<static_cast<int>(E::words_a), N>();
        reg c[static_cast<size_t>(N)];
        reg r[static_cast<size_t>(N)];
#pragma GCC unroll 4
        for (int j = 0; j < N; ++j)
            c[j] = E::load(x + j * registers::bytes);
#pragma GCC unroll 4
        for (int i = 0; i < N; ++i)
            r[i] = picked<N>(c, table, i);
        write<N>(r, N, w, dst, row_at, edges, carry);
    }

    /// At most two lanes of each column.
    [[gnu::always_inline]] static void half_columns(const char *const *columns, int64_t src,
                                                    int64_t rows, reg *r) {
        reg low[static_cast<size_t>(per_lane)];
        reg high[static_cast<size_t>(per_lane)];
#pragma GCC unroll 4
        for (int c = 0; c < per_lane; ++c) {
            low[c] = E::isa::from_halves(columns[c] + src, columns[per_lane + c] + src,
                                         rows * E::words_a);
            high[c] = E::isa::from_halves(columns[2 * per_lane + c] + src,
                                          columns[3 * per_lane + c] + src, rows * E::words_a);
        }
        transpose_in_lanes<Size>(low);
        transpose_in_lanes<Size>(high);
#pragma GCC unroll 4
        for (int c = 0; c < per_lane; ++c) {
            r[c] = E::isa::even_lanes(low[c], high[c]);
            r[per_lane + c] = E::isa::odd_lanes(low[c], high[c]);
        }
    }

    /// At most a lane's width of whole columns: after the network's first half each lane is a piece
    /// of a row.
    [[gnu::always_inline]] void few_at_once(const char *const *columns, int64_t n, int64_t src,
                                            char *dst, const int64_t *row_at) const {
        reg r[static_cast<size_t>(per_lane)];
#pragma GCC unroll 4
        for (int c = 0; c < per_lane; ++c)
            r[c] = c < n ? E::load(columns[c] + src) : reg{};
        transpose_in_lanes<Size>(r);
#pragma GCC unroll 4
        for (int c = 0; c < per_lane; ++c)
            registers::store_lanes(dst, row_at + c, per_lane, r[c], n * E::words_b);
    }

    /// The first `rows` of Most rows of n elements.
    template <int64_t Most>
    [[gnu::always_inline]] void write(const reg *r, int64_t rows, int64_t n, char *dst,
                                      const int64_t *row_at, strip_edges edges, char *carry) const {
        if constexpr (Store == store_kind::carried) {
            if (n < w || edges.first || edges.last || edges.primes) {
#pragma GCC unroll 16
                for (int64_t i = 0; i < Most && i < rows; ++i)
                    carry_row<E>(dst + row_at[i], math(r[i], reg{}), n, edges, carry + i * line);
                return;
            }
#pragma GCC unroll 16
            for (int64_t i = 0; i < Most && i < rows; ++i)
                carry_row<E>(dst + row_at[i], math(r[i], reg{}), w, {}, carry + i * line);
        } else if (n < w) {
#pragma GCC unroll 16
            for (int64_t i = 0; i < Most && i < rows; ++i) {
                char *const d = dst + row_at[i];
                reg y{};
                if constexpr (Math::reads_y)
                    y = E::load_result(d, 0, n);
                E::store_part(d, math(r[i], y), 0, n);
            }
        } else if (Store == store_kind::streamed && lies_on<E::bytes_b>(dst)) {
#pragma GCC unroll 16
            for (int64_t i = 0; i < Most && i < rows; ++i)
                E::template store<true>(dst + row_at[i], math(r[i], reg{}));
        } else {
#pragma GCC unroll 16
            for (int64_t i = 0; i < Most && i < rows; ++i) {
                char *const d = dst + row_at[i];
                reg y{};
                if constexpr (Math::reads_y)
                    y = E::load_result(d);
                E::template store<false>(d, math(r[i], y));
            }
        }
    }
};

/// Columns that differ by multiples of a page lie in the same banks of memory: read at the same
/// places one waits for the other. Each column is therefore fetched some tiles further ahead than
/// the one before it.
template <int64_t Width> [[gnu::always_inline]] inline void
prefetch_skewed(const strip &s, const tile_list &list, int64_t at, int64_t skew, int64_t j) {
#pragma GCC unroll 16
    for (int64_t k = 0; k < Width; ++k, at += skew) {
        const bool wraps = at >= list.count;
        __builtin_prefetch((wraps ? s.next : s.columns)[j + k] +
                           list.tiles[at - (wraps ? list.count : 0)].src);
    }
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

template <class E, int Size, class Math, store_kind Store>
void move_strip(const strip &s, const tile_list &list, const operation &op) {
    constexpr int64_t w = E::width;
    const Math math(op);
    const tile_mover<E, Size, Math, Store> mover{math};
    const int64_t ahead = s.ahead < list.count ? s.ahead : list.count;
    // At most one panel ahead for the last column too.
    const int64_t skew_room = (list.count - ahead) / (w > 1 ? w - 1 : 1);
    const int64_t skew = s.skew < skew_room ? s.skew : skew_room;
    constexpr bool as_they_are = registers::picks && E::size_a == E::size_b;
    if constexpr (as_they_are && !Math::computes && Store == store_kind::plain)
        if (s.joined && 2 <= s.n && s.n <= 4)
            return interleave_strip<E>(mover, s, list, ahead);
    const int64_t rows = list.tiles[0].rows; // of all tiles, where they are fewer than a register's
    constexpr bool repeats = Store == store_kind::plain && !Math::reads_y;
    const bool separates = as_they_are && s.dense && 2 <= rows && rows <= 4;
    for (int64_t t = 0; t < list.count; ++t) {
        const tile now = list.tiles[t];
        const bool wraps = t + ahead >= list.count;
        const tile &later = list.tiles[t + ahead - (wraps ? list.count : 0)];
        const char *const *later_columns = wraps ? s.next : s.columns;
        for (int64_t next = 0; next < s.n; next += w) {
            // Rather some columns twice than registers that are mostly idle.
            const bool again =
                repeats && next > 0 && next + w > s.n && (now.rows < w || next + 16 / Size < s.n);
            const int64_t j = again ? s.n - w : next;
            if (skew > 0) {
                prefetch_skewed<w>(s, list, t + ahead, skew, j);
            } else if (separates && ahead > 0) {
                for (int64_t k = 0; k < rows; ++k)
                    __builtin_prefetch(later_columns[j] + later.src + k * line);
            } else if (ahead > 0) {
#pragma GCC unroll 16
                for (int64_t k = 0; k < w; ++k)
                    __builtin_prefetch(later_columns[j + k] + later.src);
            }
            if (Store == store_kind::plain && ahead > 0) {
                char *const d = s.dst + later.dst + (j + (wraps ? s.n : 0)) * E::size_b;
                for (int64_t k = 0; k < later.rows; ++k)
                    __builtin_prefetch(d + later.row_at[k], 1);
            }
            const int64_t n = s.n - j < w ? s.n - j : w;
            const strip_edges edges = {s.edges.first && j == 0, s.edges.last && j + w >= s.n,
                                       s.edges.primes};
            char *const dst = s.dst + now.dst + j * E::size_b;
            char *const carry = s.carry + t * w * line;
            if (separates && n == w)
                mover.separated(s.columns[j] + now.src, rows, dst, now.row_at, edges, carry);
            else if (n == w)
                mover.block(s.columns + j, w, now.src, now.rows, dst, now.row_at, edges, carry);
            else
                mover.few_columns(s.columns + j, n, now.src, now.rows, dst, now.row_at, edges,
                                  carry);
        }
    }
}

template <class E, int Size, class Math>
void by_store(const strip &s, const tile_list &list, const operation &op) {
    if constexpr (!Math::reads_y) {
        if constexpr (E::carries)
            if (op.store == store_kind::carried)
                return move_strip<E, Size, Math, store_kind::carried>(s, list, op);
        if (op.store == store_kind::streamed)
            return move_strip<E, Size, Math, store_kind::streamed>(s, list, op);
    }
    move_strip<E, Size, Math, store_kind::plain>(s, list, op);
}

template <int Size> void copy(const strip &s, const tile_list &list, const operation &op) {
    by_store<element<Size, conversion::none>, Size, no_arithmetic>(s, list, op);
}

template <class T, int Size, conversion Conversion, term X>
void scale_with_x(const strip &s, const tile_list &list, const operation &op) {
    using E = element<Size, Conversion>;
    constexpr bool complex = Size == 2 * static_cast<int>(sizeof(T));
    if (op.y == term::absent)
        by_store<E, Size, arithmetic<T, X, term::absent>>(s, list, op);
    else if (!complex || op.y == term::straight)
        by_store<E, Size, arithmetic<T, X, term::straight>>(s, list, op);
    else if constexpr (complex)
        by_store<E, Size, arithmetic<T, X, term::crossed>>(s, list, op);
}

/// T: what is computed with. Elements of twice its size are complex.
template <class T, int Size, conversion Conversion = conversion::none>
void scale(const strip &s, const tile_list &list, const operation &op) {
    if constexpr (Size == 2 * sizeof(T))
        if (op.x == term::crossed)
            return scale_with_x<T, Size, Conversion, term::crossed>(s, list, op);
    scale_with_x<T, Size, Conversion, term::straight>(s, list, op);
}

} // namespace

extern const strip_kernels TENFOLD_KERNEL_SYMBOL(strips, TENFOLD_KERNEL_ISA);
const strip_kernels TENFOLD_KERNEL_SYMBOL(strips, TENFOLD_KERNEL_ISA) = {
    {copy<4>, copy<8>, copy<16>},
    scale<float, 4>,
    scale<double, 8>,
    scale<float, 8>,
    scale<double, 16>,
    scale<double, 8, conversion::widening>,
    scale<double, 8, conversion::narrowing>,
    scale<double, 16, conversion::widening>,
    scale<double, 16, conversion::narrowing>,
    registers::funnels,
    static_cast<int>(registers::bytes)};

} // namespace tenfold::transpose_impl
