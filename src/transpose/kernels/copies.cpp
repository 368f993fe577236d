// Strips that are contiguous in A as well: lines of B put together from pieces of A.
//
// Through the cache, each piece is copied by itself, its end masked. Past the cache, whole lines
// only may be written, which is what lets the processor send them to memory without reading them
// first: a strip whose pieces do not begin and end at lines is put together on the way, in
// registers where pieces are long, in a buffer in the L1 cache where they are short.
#include "simd/entry.hpp"
#include "transpose/kernels/elements.hpp"
#include "transpose/kernels/pieces.hpp"
#include "transpose/kernels/staged.hpp"

namespace tenfold::transpose_impl {
namespace {

/// Where the bytes of a strip's own part begin.
struct position {
    const piece *at;
    int64_t skipped; ///< bytes of the piece that come before
};

position skip(const piece *from, int64_t bytes) {
    while (bytes > 0 && bytes >= from->size)
        bytes -= from++->size;
    return {from, bytes};
}

/// `bytes` of A, contiguous, become a piece of a row of B.
template <class E, class Math, bool Stream> [[gnu::always_inline]] inline char *
write_piece(const char *x, int64_t bytes, char *y, const Math &math) {
    const char *const end = x + bytes;
    for (; end - x >= E::bytes_a; x += E::bytes_a, y += E::bytes_b) {
        reg v{};
        if constexpr (Math::reads_y)
            v = E::load_result(y);
        E::template store<Stream>(y, math(E::load(x), v));
    }
    if (x < end) {
        const int64_t n = (end - x) / E::size_a;
        reg v{};
        if constexpr (Math::reads_y)
            v = E::load_result(y, 0, n);
        E::store_part(y, math(E::load_part(x, n), v), 0, n);
        y += n * E::size_b;
    }
    return y;
}

/// Every piece by itself.
template <class E, class Math, bool Stream> [[gnu::always_inline]] inline void
write_pieces(position from, const piece *to, int64_t offset, char *y, const Math &math) {
    for (; from.at != to; ++from.at, from.skipped = 0)
        y = write_piece<E, Math, Stream>(from.at->src + offset + from.skipped,
                                         from.at->size - from.skipped, y, math);
}

/// Whole registers of y[0, end - y) from the reader; returns where they end.
template <class E, class Math, class Reader> [[gnu::always_inline]] inline char *
through_cache(Reader &from, char *y, const char *end, const Math &math) {
    for (; end - y >= E::bytes_b; y += E::bytes_b)
        E::template store<false>(y, math(from.gathered(0, E::width), reg{}));
    return y;
}

/// y[0, end - y) from the reader, past the cache but for what begins or ends within a line.
template <class E, class Math, class Reader> [[gnu::always_inline]] inline void
stream_lines(Reader &from, char *y, char *end, const Math &math) {
    const auto phase = static_cast<int64_t>(reinterpret_cast<uintptr_t>(y) % E::bytes_b);
    if (phase != 0) {
        const int64_t first = phase / E::size_b;
        const int64_t last = least(E::width, first + (end - y) / E::size_b);
        E::store_part(y - phase, math(from.gathered(first, last - first), reg{}), first, last);
        y += (last - first) * E::size_b;
    }
    // Of a line of several registers, all go past the cache or none.
    char *lines_end = end;
    if constexpr (E::joins_lines) {
        lines_end = end - phase_of(end);
        const int64_t rest = (line - phase_of(y)) % line;
        y = through_cache<E>(from, y, end - y < rest ? end : y + rest, math);
    }
    while (lines_end - y >= E::bytes_b) {
        const int64_t whole = least(from.whole_registers(), (lines_end - y) / E::bytes_b);
        for (int64_t k = 0; k < whole; ++k, y += E::bytes_b)
            E::template store<true>(y, math(from.whole(), reg{}));
        if (lines_end - y >= E::bytes_b) {
            E::template store<true>(y, math(from.gathered(0, E::width), reg{}));
            y += E::bytes_b;
        }
    }
    if constexpr (E::joins_lines)
        y = through_cache<E>(from, y, end, math);
    if (y < end) {
        const int64_t n = (end - y) / E::size_b;
        E::store_part(y, math(from.gathered(0, n), reg{}), 0, n);
    }
}

/// The strip at one tile: it writes what the one before it left of a line, and leaves its own last
/// part.
template <class E, class Math>
void stream_strip(const copy_strip &s, int64_t offset, char *y, const Math &math) {
    char *const end = y + s.size;
    const int64_t before = s.edges.first ? 0 : phase_of(y);
    piece_reader<E> from(s.pieces, offset);
    from.skip((s.lead - before) / E::size_b * E::size_a);
    stream_lines<E>(from, y - before, s.edges.last ? end : end - phase_of(end), math);
}

/// Bytes of A that are collected at most, and of a piece that is worth it.
constexpr int64_t most_collected = 8192;
constexpr int64_t short_piece = 96;
/// Of a buffer: two lines of B, whose elements may be half as large as A's, before the strip's own
/// part, and a register after it.
constexpr int64_t collecting_bytes = most_collected + 5 * line;

/// The strip at one tile by way of `buffer`, where lines of B begin at multiples of their size, as
/// they do in B: a load that needs two stores which are still on their way waits for both.
template <class E, class Math, bool Stream>
void collect_strip(const copy_strip &s, int64_t offset, char *y, char *buffer, const Math &math) {
    const int64_t phase = phase_of(y);
    const char *const own = buffer + (line + phase) / E::size_b * E::size_a;
    collect<E>(s.pieces, s.pieces + s.count, offset,
               buffer + (line + phase - s.lead) / E::size_b * E::size_a);
    if constexpr (Stream) {
        char *const end = y + s.size;
        const int64_t before = s.edges.first ? 0 : phase;
        buffer_reader<E> from(own - before / E::size_b * E::size_a);
        stream_lines<E>(from, y - before, s.edges.last ? end : end - phase_of(end), math);
    } else {
        write_piece<E, Math, false>(own, s.size / E::size_b * E::size_a, y, math);
    }
}

/// Of `count` pieces of A and `size` bytes of B. Lines that several pieces share are asked for
/// once. Locality is that of __builtin_prefetch(): 3 for the L1 cache, 1 for the L2 cache.
template <bool Stream, int Locality> [[gnu::always_inline]] inline void
prefetch(const piece *pieces, int64_t count, const char *dst, int64_t size, const tile &later) {
    uintptr_t last = 0;
    for (int64_t k = 0; k < count; ++k) {
        const char *const x = pieces[k].src + later.src;
        const uintptr_t first = reinterpret_cast<uintptr_t>(x) / line;
        if (first == last && pieces[k].size <= line)
            continue;
        for (int64_t byte = 0; byte < pieces[k].size; byte += line)
            __builtin_prefetch(x + byte, 0, Locality);
        last = first;
    }
    if constexpr (!Stream)
        for (int64_t byte = 0; byte < size; byte += line)
            __builtin_prefetch(dst + later.dst + byte, Locality == 3, Locality);
}

/// What tile t + ahead of the strip needs, or the strip that is copied next.
template <bool Stream, int Locality> [[gnu::always_inline]] inline void
prefetch_tile(const copy_strip &s, const tile_list &list, int64_t later) {
    if (later < list.count)
        prefetch<Stream, Locality>(s.pieces, s.in_order ? 0 : s.count, s.dst, s.size,
                                   list.tiles[later]);
    else if (s.next != nullptr)
        prefetch<Stream, Locality>(s.next, s.in_order ? 0 : s.next_count, s.dst + s.size, s.size,
                                   list.tiles[later - list.count]);
}

template <class E, class Math, bool Stream>
void copy_strip_as(const copy_strip &s, const tile_list &list, const operation &op) {
    const Math math(op);
    const position own = skip(s.pieces, s.lead / E::size_b * E::size_a);
    bool whole = own.skipped == 0; // pieces are whole registers, the strip is whole lines
    if constexpr (E::joins_lines)
        whole = whole && s.size % line == 0;
    for (const piece *one = own.at; one != s.pieces + s.count; ++one)
        whole = whole && one->size % E::bytes_a == 0;
    const int64_t bytes = (s.lead + s.size) / E::size_b * E::size_a;
    const bool collects = bytes <= most_collected && bytes < s.count * short_piece;
    alignas(line) char buffer[collecting_bytes];
    const int64_t ahead = least(s.ahead, list.count);
    for (int64_t t = 0; t < list.count; ++t) {
        const tile now = list.tiles[t];
        if (ahead > 0 && s.far)
            prefetch_tile<Stream, 1>(s, list, t + ahead);
        else if (ahead > 0)
            prefetch_tile<Stream, 3>(s, list, t + ahead);
        char *const y = s.dst + now.dst;
        if (collects)
            collect_strip<E, Math, Stream>(s, now.src, y, buffer, math);
        else if (!Stream || (whole && phase_of(y) == 0))
            write_pieces<E, Math, Stream>(own, s.pieces + s.count, now.src, y, math);
        else
            stream_strip<E>(s, now.src, y, math);
    }
}

template <class E, class Math>
void by_store(const copy_strip &s, const tile_list &list, const operation &op) {
    if constexpr (!Math::reads_y)
        if (op.store != store_kind::plain)
            return copy_strip_as<E, Math, true>(s, list, op);
    copy_strip_as<E, Math, false>(s, list, op);
}

template <int Size> void copy(const copy_strip &s, const tile_list &list, const operation &op) {
    by_store<element<Size>, no_arithmetic>(s, list, op);
}

template <class E, class T, term X>
void scale_with_x(const copy_strip &s, const tile_list &list, const operation &op) {
    switch (op.y) {
    case term::absent:
        return by_store<E, arithmetic<T, X, term::absent>>(s, list, op);
    case term::straight:
        return by_store<E, arithmetic<T, X, term::straight>>(s, list, op);
    case term::crossed:
        if constexpr (E::size_a >= 4 && E::size_b >= 4)
            return by_store<E, arithmetic<T, X, term::crossed>>(s, list, op);
    }
}

/// Components that are computed with in T. Those of 2 bytes are not parts of complex numbers.
template <class T, template <int> class A = same, template <int> class B = same>
void scale(const copy_strip &s, const tile_list &list, const operation &op) {
    using E = element<sizeof(T), A, B>;
    if constexpr (E::size_a >= 4 && E::size_b >= 4)
        if (op.x == term::crossed)
            return scale_with_x<E, T, term::crossed>(s, list, op);
    scale_with_x<E, T, term::straight>(s, list, op);
}

template <class E, class Math> void scale_all(char *y, int64_t n, const operation &op) {
    const Math math(op);
    for (; n >= E::bytes_b; n -= E::bytes_b, y += E::bytes_b)
        E::template store<false>(y, math(reg{}, E::load_result(y)));
    if (n > 0) {
        const int64_t rest = n / E::size_b;
        E::store_part(y, math(reg{}, E::load_result(y, 0, rest)), 0, rest);
    }
}

template <class T, template <int> class B = same>
void scale_in_place(char *y, int64_t n, const operation &op) {
    using E = element<sizeof(T), B, B>;
    switch (op.y) {
    case term::absent:
        __builtin_memset(y, 0, static_cast<size_t>(n));
        return;
    case term::straight:
        return scale_all<E, arithmetic<T, term::absent, term::straight>>(y, n, op);
    case term::crossed:
        if constexpr (E::size_b >= 4)
            return scale_all<E, arithmetic<T, term::absent, term::crossed>>(y, n, op);
    }
}

void scale_bytes(const copy_strip &s, const tile_list &list, const operation &op) {
    if (op.y == term::absent)
        return by_store<element<1>, byte_arithmetic<term::straight, term::absent>>(s, list, op);
    by_store<element<1>, byte_arithmetic<term::straight, term::straight>>(s, list, op);
}

void scale_bytes_in_place(char *y, int64_t n, const operation &op) {
    if (op.y == term::absent)
        __builtin_memset(y, 0, static_cast<size_t>(n));
    else
        scale_all<element<1>, byte_arithmetic<term::absent, term::straight>>(y, n, op);
}

/// Null where there is no instruction for f16.
template <template <int> class A, template <int> class B> constexpr copy_kernel with_f16() {
    if constexpr (registers::converts_f16)
        return scale<float, A, B>;
    else
        return nullptr;
}
constexpr scale_kernel f16_in_place() {
    if constexpr (registers::converts_f16)
        return scale_in_place<float, f16>;
    else
        return nullptr;
}

constexpr bool to_complex = true;
constexpr staged_kernels from_f32{.to_c32 = staged_rows<stored_f32, stored_f32, to_complex>(),
                                  .to_c64 = staged_rows<stored_f32, stored_f64, to_complex>()};
constexpr staged_kernels from_f64{.to_bf16 = staged_rows<stored_f64, stored_bf16>(),
                                  .to_f16 = staged_rows<stored_f64, stored_f16>(),
                                  .to_c32 = staged_rows<stored_f64, stored_f32, to_complex>(),
                                  .to_c64 = staged_rows<stored_f64, stored_f64, to_complex>()};
constexpr staged_kernels from_bf16{.to_f16 = staged_rows<stored_bf16, stored_f16>(),
                                   .to_f64 = staged_rows<stored_bf16, stored_f64>(),
                                   .to_c32 = staged_rows<stored_bf16, stored_f32, to_complex>(),
                                   .to_c64 = staged_rows<stored_bf16, stored_f64, to_complex>()};
constexpr staged_kernels from_f16{.to_bf16 = staged_rows<stored_f16, stored_bf16>(),
                                  .to_f64 = staged_rows<stored_f16, stored_f64>(),
                                  .to_c32 = staged_rows<stored_f16, stored_f32, to_complex>(),
                                  .to_c64 = staged_rows<stored_f16, stored_f64, to_complex>()};

} // namespace
} // namespace tenfold::transpose_impl

using namespace tenfold::transpose_impl;
TENFOLD_DEFINE_ENTRY(copy_kernels, {.copy = copy<4>,
                                    .copy_short = copy<2>,
                                    .copy_byte = copy<1>,
                                    .f32 = scale<float>,
                                    .f64 = scale<double>,
                                    .i32 = scale<uint32_t>,
                                    .byte = scale_bytes,
                                    .f32_f64 = scale<double, single>,
                                    .f64_f32 = scale<double, same, single>,
                                    .bf16 = scale<float, bf16, bf16>,
                                    .bf16_f32 = scale<float, bf16>,
                                    .f32_bf16 = scale<float, same, bf16>,
                                    .f16 = with_f16<f16, f16>(),
                                    .f16_f32 = with_f16<f16, same>(),
                                    .f32_f16 = with_f16<same, f16>(),
                                    .from_f32 = from_f32,
                                    .from_f64 = from_f64,
                                    .from_bf16 = from_bf16,
                                    .from_f16 = from_f16,
                                    .scale_f32 = scale_in_place<float>,
                                    .scale_f64 = scale_in_place<double>,
                                    .scale_i32 = scale_in_place<uint32_t>,
                                    .scale_byte = scale_bytes_in_place,
                                    .scale_bf16 = scale_in_place<float, bf16>,
                                    .scale_f16 = f16_in_place()})
