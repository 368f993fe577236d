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

enum class conversion { none, widening, narrowing };

template <conversion> struct raw_of { using type = reg; };
template <> struct raw_of<conversion::widening> { using type = half; };

/// How elements enter and leave registers, in which they have Size bytes: half as many in A where
/// the conversion widens, in B where it narrows.
template <int Size, conversion Conversion> struct element {
    using isa = registers; ///< through a template's parameter: not every ISA can do everything
    static constexpr int64_t width = registers::bytes / Size; ///< elements per register
    static constexpr int64_t size_a = Conversion == conversion::widening ? Size / 2 : Size;
    static constexpr int64_t size_b = Conversion == conversion::narrowing ? Size / 2 : Size;
    static constexpr int64_t words_a = size_a / 4;
    static constexpr int64_t words_b = size_b / 4;
    static constexpr int64_t bytes_a = width * size_a; ///< of a register's elements
    static constexpr int64_t bytes_b = width * size_b;
    static constexpr bool carries = registers::funnels && Conversion != conversion::narrowing;
    /// Registers that are parts of a line are not written past the cache before all of it is there.
    static constexpr bool joins_lines = registers::joins_lines && bytes_b < line;

    /// As many of A's bytes as make up a register.
    using raw = typename raw_of<Conversion>::type;

    [[gnu::always_inline]] static raw load_raw(const char *p) {
        if constexpr (Conversion == conversion::widening)
            return registers::load_half(p);
        else
            return registers::load(p);
    }
    [[gnu::always_inline]] static reg from_raw(raw v) {
        if constexpr (Conversion == conversion::widening)
            return registers::widen(v);
        else
            return v;
    }
    [[gnu::always_inline]] static reg load(const char *p) { return from_raw(load_raw(p)); }
    /// The first n elements.
    [[gnu::always_inline]] static reg load_part(const char *p, int64_t n) {
        return from_raw(registers::load_words(raw{}, p, 0, n * words_a));
    }

    [[gnu::always_inline]] static reg load_result(const char *p) {
        if constexpr (Conversion == conversion::narrowing)
            return registers::widen(registers::load_half(p));
        else
            return registers::load(p);
    }
    [[gnu::always_inline]] static reg load_result(const char *p, int64_t first, int64_t last) {
        if constexpr (Conversion == conversion::narrowing)
            return registers::widen(
                registers::load_words(half{}, p, first * words_b, last * words_b));
        else
            return registers::load_words(reg{}, p, first * words_b, last * words_b);
    }

    [[gnu::always_inline]] static auto result(reg v) {
        if constexpr (Conversion == conversion::narrowing)
            return registers::narrow(v);
        else
            return v;
    }
    template <bool Stream> [[gnu::always_inline]] static void store(char *p, reg v) {
        if constexpr (Stream)
            registers::stream(p, result(v));
        else
            registers::store(p, result(v));
    }
    /// Elements first <= k < last.
    [[gnu::always_inline]] static void store_part(char *p, reg v, int64_t first, int64_t last) {
        registers::store_words(p, result(v), first * words_b, last * words_b);
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
            v[k] = static_cast<T>(pair[k % 2]);
        return v;
    }
    static vector swap(reg v) {
        return sizeof(T) == 4 ? (vector)registers::swap32(v) : (vector)registers::swap64(v);
    }

    vector x_straight, x_crossed, y_straight, y_crossed;
};

} // namespace
} // namespace tenfold::transpose_impl
