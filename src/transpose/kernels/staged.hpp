// Conversions of rows in stages: each stage is a loop over a few hundred elements, which stay in
// the L1 cache from one to the next. A stage serves many pairs of types, where a kernel that keeps
// elements in registers serves one; so these are the kernels of the less frequent pairs, and of
// real numbers that become complex. Included by kernel sources only.
#pragma once

#include "transpose/kernels/pieces.hpp"

namespace tenfold::transpose_impl {
namespace {

/// Elements that go through all stages at once: whole registers, and whole lines of B.
constexpr int64_t staged = 256;

/// n numbers from memory as T. What is read is a whole register at the end, too, so that buffers
/// have room for one.
template <template <int> class F, class T> void read(const char *x, int64_t n, T *to) {
    using E = element<static_cast<int>(sizeof(T)), F>;
    int64_t k = 0;
    for (; k + E::width <= n; k += E::width)
        registers::store(to + k, E::load(x + k * E::size_a));
    if (k < n)
        registers::store(to + k, E::load_part(x + k * E::size_a, n - k));
}

template <template <int> class F, class T> void write(const T *from, int64_t n, char *y) {
    using E = element<static_cast<int>(sizeof(T)), same, F>;
    int64_t k = 0;
    for (; k + E::width <= n; k += E::width)
        E::template store<false>(y + k * E::size_b, registers::load(from + k));
    if (k < n)
        E::store_part(y + k * E::size_b, registers::load(from + k), 0, n - k);
}

/// Doubles rounded to numbers of so many bits after the leading one, whose exponents are not
/// smaller than these: to nearest, ties to even, as one rounding to a shorter format does. What
/// follows on the way there is exact, or overflows as it should. Adding 1.5 times the power of two
/// whose last bit is the last one to keep rounds in the processor's own way, and subtracting it is
/// exact.
template <int Fraction, int LeastExponent> [[gnu::always_inline]] inline reg rounded_to(reg v) {
    typedef double doubles __attribute__((vector_size(registers::bytes)));
    typedef int64_t integers __attribute__((vector_size(registers::bytes)));
    constexpr int64_t exponent_at = 52; // bits of a double's fraction
    constexpr int64_t bias = 1023;
    constexpr int64_t most_exponent = 512; // beyond it everything overflows
    const integers bits = (integers)v;
    const integers lowest = integers{} + ((bias + LeastExponent) << exponent_at);
    const integers highest = integers{} + ((bias + most_exponent) << exponent_at);
    integers exponent = bits & (int64_t{0x7ff} << exponent_at);
    exponent = exponent < lowest ? lowest : exponent;
    exponent = exponent > highest ? highest : exponent;
    constexpr int64_t up = exponent_at - Fraction;
    constexpr int64_t and_a_half = int64_t{1} << (exponent_at - 1);
    const doubles large = (doubles)(exponent + ((up << exponent_at) + and_a_half));
    const integers rounded = (integers)(((doubles)v + large) - large);
    return (reg)(rounded | (bits & INT64_MIN)); // -0 stays
}

template <template <int> class> constexpr bool is_f16 = false;
template <> constexpr bool is_f16<f16> = true;

/// f32, or an element of two bytes.
template <template <int> class F> struct single_or_short {
    static constexpr int64_t size = F<4>::size;
    static constexpr bool is_double = false;
    static constexpr bool converts = registers::converts_f16 || !is_f16<F>;

    static void load(const char *x, int64_t n, float *to, float *) { read<F>(x, n, to); }
    static void load(const char *x, int64_t n, double *to, float *between) {
        if constexpr (size == 4) {
            read<single>(x, n, to);
        } else {
            read<F>(x, n, between);
            read<single>(reinterpret_cast<const char *>(between), n, to);
        }
    }
    static void store(const float *from, int64_t n, char *y, float *) { write<F>(from, n, y); }
    static void store(const double *from, int64_t n, char *y, float *between) {
        if constexpr (size == 4) {
            write<single>(from, n, y);
        } else {
            using E = element<8, same, single>;
            for (int64_t k = 0; k < n; k += E::width)
                registers::store(between + k,
                                 E::result(rounded_to<F<4>::fraction_bits, F<4>::least_exponent>(
                                     registers::load(from + k))));
            write<F>(between, n, y);
        }
    }
};

struct stored_f64 {
    static constexpr int64_t size = 8;
    static constexpr bool is_double = true;
    static constexpr bool converts = true;

    static void load(const char *x, int64_t n, double *to, float *) { read<same>(x, n, to); }
    static void store(const double *from, int64_t n, char *y, float *) { write<same>(from, n, y); }
};

using stored_f32 = single_or_short<same>;
using stored_bf16 = single_or_short<bf16>;
using stored_f16 = single_or_short<f16>;

template <bool Double> struct computed_in { using type = float; };
template <> struct computed_in<true> { using type = double; };

/// What elements go through on their way from A to B, and the buffers between the stages. X: a real
/// number of A; Y: of B, or one of its two parts if it is complex.
template <class X, class Y, bool Complex> class stages {
public:
    static constexpr int64_t size_b = (Complex ? 2 : 1) * Y::size;

    explicit stages(const operation &op) : op_(op) {}

    /// n elements at x become elements at `to`. `y`: the elements of B, which are read where the
    /// operation says so.
    void convert(const char *x, int64_t n, const char *y, char *to) {
        X::load(x, n, x_, between_);
        T *result = x_;
        int64_t numbers = n;
        operation rest = op_;
        if constexpr (Complex) {
            multiply_parts(n);
            result = parts_;
            numbers = 2 * n;
            rest.x_straight[0] = rest.x_straight[1] = 1;
        }
        if (rest.y != term::absent)
            add(rest, result, numbers, y);
        else if (rest.x_straight[0] != 1)
            compute<term::absent>(rest, result, numbers);
        Y::store(result, numbers, to, between_);
    }

private:
    using T = typename computed_in<X::is_double || Y::is_double>::type;
    static constexpr int64_t width = registers::bytes / static_cast<int64_t>(sizeof(T));
    static constexpr int64_t parts = (Complex ? 2 : 1) * staged;

    /// A real number times a factor: both parts, whole registers of them.
    void multiply_parts(int64_t n) {
        const T straight = static_cast<T>(op_.x_straight[0]);
        const T crossed =
            op_.x == term::crossed ? static_cast<T>(op_.x_crossed[1]) : static_cast<T>(0);
        const int64_t whole = (n + width - 1) / width * width;
        if (op_.x == term::crossed) {
            for (int64_t k = 0; k < whole; ++k) {
                parts_[2 * k] = static_cast<T>(0) + straight * x_[k]; // 0, not -0, of i times x
                parts_[2 * k + 1] = crossed * x_[k];
            }
            return;
        }
        for (int64_t k = 0; k < whole; ++k) {
            parts_[2 * k] = straight * x_[k];
            parts_[2 * k + 1] = 0; // also of what is infinite
        }
    }

    void add(const operation &op, T *result, int64_t n, const char *y) {
        Y::load(y, n, y_, between_);
        if constexpr (Complex)
            if (op.y == term::crossed)
                return compute<term::crossed>(op, result, n);
        compute<term::straight>(op, result, n);
    }

    template <term OfY> void compute(const operation &op, T *result, int64_t n) {
        const arithmetic<T, term::straight, OfY> math(op);
        for (int64_t k = 0; k < n; k += width) {
            reg y{};
            if constexpr (OfY != term::absent)
                y = registers::load(y_ + k);
            registers::store(result + k, math(registers::load(result + k), y));
        }
    }

    const operation &op_;
    alignas(line) T x_[static_cast<size_t>(staged)];
    alignas(line) T parts_[static_cast<size_t>(parts)];
    alignas(line) T y_[static_cast<size_t>(parts)];
    alignas(line) float between_[static_cast<size_t>(parts)] = {};
};

/// Whole lines past the cache, the rest through it. `to` lies on a line.
inline void stream_bytes(const char *from, int64_t n, char *to) {
    for (; n >= line; n -= line, from += line, to += line)
        for (int64_t k = 0; k < line; k += registers::bytes)
            registers::stream(to + k, registers::load(from + k));
    if (n > 0)
        __builtin_memcpy(to, from, static_cast<size_t>(n));
}

/// A copy_kernel (kernel_abi.hpp).
template <class X, class Y, bool Complex>
void convert_rows(const copy_strip &s, const tile_list &list, const operation &op) {
    using work = stages<X, Y, Complex>;
    const bool streams = op.store != store_kind::plain && op.y == term::absent;
    work stage(op);
    alignas(line) char collected[static_cast<size_t>(staged * X::size)];
    alignas(line) char lines[static_cast<size_t>(staged * work::size_b)];
    for (int64_t t = 0; t < list.count; ++t) {
        char *at = s.dst + list.tiles[t].dst;
        char *end = at + s.size;
        piece_reader<X> from(s.pieces, list.tiles[t].src);
        // What begins a line belongs to the strip that ends it, as in stream_strip().
        const int64_t before = streams && !s.edges.first ? phase_of(at) : 0;
        if (streams && !s.edges.last)
            end -= phase_of(end);
        from.skip((s.lead - before) / work::size_b * X::size);
        for (at -= before; at < end;) {
            const int64_t phase = phase_of(at);
            int64_t n = least(staged, (end - at) / work::size_b);
            if (streams && phase != 0)
                n = least(n, (line - phase) / work::size_b);
            const char *const x = from.contiguous(n * X::size, collected);
            if (streams && phase == 0) {
                stage.convert(x, n, at, lines);
                stream_bytes(lines, n * work::size_b, at);
            } else {
                stage.convert(x, n, at, at);
            }
            at += n * work::size_b;
        }
    }
}

/// Null where there is no instruction for f16.
template <class X, class Y, bool Complex = false> constexpr copy_kernel staged_rows() {
    if constexpr (X::converts && Y::converts)
        return convert_rows<X, Y, Complex>;
    else
        return nullptr;
}

} // namespace
} // namespace tenfold::transpose_impl
