// Registers of elements and what is computed with them: shared by the kernels that transpose and
// those that copy. Included by kernel sources only.
#pragma once

#include "simd/registers.hpp"
#include "transpose/kernels/kernel_abi.hpp"

namespace tenfold::transpose_impl {
namespace {

using reg = registers::reg;
using half = registers::half;
using term = operation::term;

constexpr int64_t line = 64;

// Formats: how elements that have Size bytes in registers lie in memory.

/// As in registers.
template <int Size> struct same {
    static constexpr int64_t size = Size;
    using raw = reg; ///< a register's elements

    [[gnu::always_inline]] static raw load(const char *p) { return registers::load(p); }
    /// Elements first <= k < last of those at p, none beyond them touched; the others are v's.
    [[gnu::always_inline]] static raw load(raw v, const char *p, int64_t first, int64_t last) {
        if constexpr (Size == 1)
            return registers::load_bytes(v, p, first, last);
        else if constexpr (Size == 2)
            return registers::load_shorts(v, p, first, last);
        else
            return registers::load_words(v, p, first * Size / 4, last * Size / 4);
    }
    [[gnu::always_inline]] static void store(char *p, raw v, int64_t first, int64_t last) {
        if constexpr (Size == 1)
            registers::store_bytes(p, v, first, last);
        else if constexpr (Size == 2)
            registers::store_shorts(p, v, first, last);
        else
            registers::store_words(p, v, first * Size / 4, last * Size / 4);
    }
    [[gnu::always_inline]] static reg widen(raw v) { return v; }
    [[gnu::always_inline]] static raw narrow(reg v) { return v; }
};

/// Single precision of what is double in registers.
template <int Size> struct single {
    static constexpr int64_t size = Size / 2;
    using raw = half;

    [[gnu::always_inline]] static raw load(const char *p) { return registers::load_half(p); }
    [[gnu::always_inline]] static raw load(raw v, const char *p, int64_t first, int64_t last) {
        return registers::load_words(v, p, first * size / 4, last * size / 4);
    }
    [[gnu::always_inline]] static void store(char *p, raw v, int64_t first, int64_t last) {
        registers::store_words(p, v, first * size / 4, last * size / 4);
    }
    [[gnu::always_inline]] static reg widen(raw v) { return registers::widen(v); }
    [[gnu::always_inline]] static raw narrow(reg v) { return registers::narrow(v); }
};

/// Two bytes of what is a word in registers: its lower half.
template <int Size> struct bits16 {
    static_assert(Size == 4);
    static constexpr int64_t size = 2;
    using raw = registers::shorts;

    [[gnu::always_inline]] static raw load(const char *p) { return registers::load_shorts(p); }
    [[gnu::always_inline]] static raw load(raw v, const char *p, int64_t first, int64_t last) {
        return registers::load_shorts(v, p, first, last);
    }
    [[gnu::always_inline]] static void store(char *p, raw v, int64_t first, int64_t last) {
        registers::store_shorts(p, v, first, last);
    }
    [[gnu::always_inline]] static reg widen(raw v) { return registers::words_of(v); }
    [[gnu::always_inline]] static raw narrow(reg v) { return registers::shorts_of(v); }
};

/// Single precision in registers, as the following ones.
template <int Size> struct bf16 : bits16<Size> {
    using raw = typename bits16<Size>::raw;
    static constexpr int fraction_bits = 7, least_exponent = -126; ///< of normal numbers

    [[gnu::always_inline]] static reg widen(raw v) {
        return (reg)((words)registers::words_of(v) << 16);
    }
    /// Rounds to nearest even; NaN become quiet (tenfold::bf16).
    [[gnu::always_inline]] static raw narrow(reg v) {
        const words bits = (words)v;
        const words rounded = bits + 0x7fff + (bits >> 16 & 1);
        const words kept = (floats)v != (floats)v ? bits | 0x400000 : rounded;
        return registers::shorts_of((reg)(kept >> 16));
    }

private:
    typedef uint32_t words __attribute__((vector_size(registers::bytes)));
    typedef float floats __attribute__((vector_size(registers::bytes)));
};
/// Registers through a template's parameter: not every instruction set has conversions of f16.
template <int> struct registers_that_convert : registers {};
template <int Size> struct f16 : bits16<Size> {
    using raw = typename bits16<Size>::raw;
    static constexpr int fraction_bits = 10, least_exponent = -14;

    [[gnu::always_inline]] static reg widen(raw v) {
        return registers_that_convert<Size>::widen_f16(v);
    }
    [[gnu::always_inline]] static raw narrow(reg v) {
        return registers_that_convert<Size>::narrow_f16(v);
    }
};

/// How elements enter and leave registers: they have Size bytes there, and lie in A and in B in
/// formats of that size.
template <int Size, template <int> class A = same, template <int> class B = same> struct element {
    using isa = registers; ///< through a template's parameter: not every ISA can do everything
    using in_a = A<Size>;
    using in_b = B<Size>;
    static constexpr int64_t width = registers::bytes / Size; ///< elements per register
    static constexpr int64_t size_a = in_a::size;
    static constexpr int64_t size_b = in_b::size;
    static constexpr bool converts = size_a != Size || size_b != Size;
    static constexpr int64_t words = Size / 4;         ///< where nothing is converted
    static constexpr int64_t bytes_a = width * size_a; ///< of a register's elements
    static constexpr int64_t bytes_b = width * size_b;
    static constexpr bool carries = registers::funnels && size_b == Size;
    /// Registers that are parts of a line are not written past the cache before all of it is there.
    static constexpr bool joins_lines = (registers::joins_lines || size_b == 2) && bytes_b < line;

    /// As many of A's bytes as make up a register.
    using raw = typename in_a::raw;

    [[gnu::always_inline]] static raw load_raw(const char *p) { return in_a::load(p); }
    [[gnu::always_inline]] static raw load_raw(raw v, const char *p, int64_t first, int64_t last) {
        return in_a::load(v, p, first, last);
    }
    [[gnu::always_inline]] static reg from_raw(raw v) { return in_a::widen(v); }
    [[gnu::always_inline]] static reg load(const char *p) { return from_raw(load_raw(p)); }
    /// The first n elements.
    [[gnu::always_inline]] static reg load_part(const char *p, int64_t n) {
        return from_raw(load_raw(raw{}, p, 0, n));
    }

    [[gnu::always_inline]] static reg load_result(const char *p) {
        return in_b::widen(in_b::load(p));
    }
    [[gnu::always_inline]] static reg load_result(const char *p, int64_t first, int64_t last) {
        return in_b::widen(in_b::load(typename in_b::raw{}, p, first, last));
    }

    [[gnu::always_inline]] static auto result(reg v) { return in_b::narrow(v); }
    template <bool Stream> [[gnu::always_inline]] static void store(char *p, reg v) {
        if constexpr (Stream)
            registers::stream(p, result(v));
        else
            registers::store(p, result(v));
    }
    /// Elements first <= k < last.
    [[gnu::always_inline]] static void store_part(char *p, reg v, int64_t first, int64_t last) {
        in_b::store(p, result(v), first, last);
    }
};

/// y = x.
struct no_arithmetic {
    static constexpr bool computes = false;
    static constexpr bool reads_x = true;
    static constexpr bool reads_y = false;

    explicit no_arithmetic(const operation &) {}
    [[gnu::always_inline]] reg operator()(reg x, reg) const { return x; }
};

/// The factors of an operation spread over registers of T.
template <class T, term X, term Y> struct arithmetic {
    static constexpr bool computes = true;
    static constexpr bool reads_x = X != term::absent;
    static constexpr bool reads_y = Y != term::absent;
    static constexpr int64_t width = registers::bytes / static_cast<int64_t>(sizeof(T));
    typedef T vector __attribute__((vector_size(registers::bytes)));

    explicit arithmetic(const operation &op)
        : x_straight(spread(op.x_straight)), x_crossed(spread(op.x_crossed)),
          y_straight(spread(op.y_straight)), y_crossed(spread(op.y_crossed)) {}

    [[gnu::always_inline]] reg operator()(reg x, reg y) const {
        vector result = {};
        if constexpr (X != term::absent)
            result = x_straight * (vector)x;
        if constexpr (X == term::crossed)
            result += x_crossed * swap(x);
        if constexpr (Y != term::absent)
            result += y_straight * (vector)y;
        if constexpr (Y == term::crossed)
            result += y_crossed * swap(y);
        return (reg)result;
    }

private:
    static vector spread(const double (&pair)[2]) {
        vector v;
        for (int64_t k = 0; k < width; ++k)
            v[k] = factor(pair[k % 2]);
        return v;
    }
    /// Integers are computed modulo 2^32.
    static T factor(double x) {
        if constexpr (static_cast<T>(-1) > static_cast<T>(0)) // unsigned
            return static_cast<T>(static_cast<int32_t>(x));
        else
            return static_cast<T>(x);
    }
    static vector swap(reg v) {
        return sizeof(T) == 4 ? (vector)registers::swap32(v) : (vector)registers::swap64(v);
    }

    vector x_straight, x_crossed, y_straight, y_crossed;
};

/// The same of integers of one byte, modulo 2^8: those at even and those at odd places apart, in
/// products of 16 bits.
template <term X, term Y> struct byte_arithmetic {
    static constexpr bool computes = true;
    static constexpr bool reads_x = X != term::absent;
    static constexpr bool reads_y = Y != term::absent;

    explicit byte_arithmetic(const operation &op)
        : of_x(factor(op.x_straight[0])), of_y(factor(op.y_straight[0])) {}

    [[gnu::always_inline]] reg operator()(reg x, reg y) const {
        const pairs even = sum((pairs)x, (pairs)y);
        const pairs odd = sum((pairs)x >> 8, (pairs)y >> 8);
        return (reg)((even & 0xff) | odd << 8);
    }

private:
    typedef uint16_t pairs __attribute__((vector_size(registers::bytes)));

    static uint16_t factor(double x) { return static_cast<uint16_t>(static_cast<int32_t>(x)); }
    [[gnu::always_inline]] pairs sum(pairs x, pairs y) const {
        if constexpr (X == term::absent)
            return y * of_y;
        else if constexpr (Y == term::absent)
            return x * of_x;
        else
            return x * of_x + y * of_y;
    }

    uint16_t of_x, of_y;
};

} // namespace
} // namespace tenfold::transpose_impl
