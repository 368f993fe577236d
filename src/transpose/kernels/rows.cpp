// Contiguous rows: y = alpha op(x) + beta y over real components, copies, zeros.
//
// Heads and tails are masked, so that a short or misaligned row costs no scalar loop. A streaming
// row starts with a partial store up to the next cache line: from there on every line is written
// whole, which is what lets the processor send it to memory without reading it first.
#include "transpose/kernels/kernel_abi.hpp"
#include "transpose/kernels/registers.hpp"

namespace tenfold::transpose_impl {
namespace {

using reg = registers::reg;
using term = row_operation::term;

constexpr int64_t line = 64;

[[gnu::always_inline]] inline int64_t bytes_to_next_line(const char *p) {
    return static_cast<int64_t>(-reinterpret_cast<uintptr_t>(p) & (line - 1));
}
[[gnu::always_inline]] inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/// y = x; count < the register's width, in bytes, a multiple of 2.
[[gnu::always_inline]] inline void copy_part(const char *x, char *y, int64_t count) {
    registers::store_part(y, registers::load_part(x, count / 4), count / 4);
    if (count & 2)
        __builtin_memcpy(y + (count & ~int64_t{3}), x + (count & ~int64_t{3}), 2);
}

template <bool Stream> void copy_row(const char *x, char *y, int64_t n) {
    int64_t k = 0;
    if constexpr (Stream) {
        const int64_t head = least(n, bytes_to_next_line(y));
        for (; k + registers::bytes <= head; k += registers::bytes)
            registers::store(y + k, registers::load(x + k));
        if (k < head) // a store of nothing would still fetch the line
            copy_part(x + k, y + k, head - k);
        k = head;
        for (; k + line <= n; k += line) {
#pragma GCC unroll 4
            for (int64_t part = 0; part < line; part += registers::bytes)
                registers::stream(y + k + part, registers::load(x + k + part));
        }
    }
    for (; k + registers::bytes <= n; k += registers::bytes)
        registers::store(y + k, registers::load(x + k));
    if (k < n)
        copy_part(x + k, y + k, n - k);
}

void copy_rows(const row_block &block, const row_operation &operation) {
    for (int64_t row = 0; row < block.rows; ++row) {
        const char *x = block.x + row * block.x_stride;
        char *y = block.y + row * block.y_stride;
        if (operation.stream)
            copy_row<true>(x, y, block.n);
        else
            copy_row<false>(x, y, block.n);
    }
}

/// The factors of a row_operation spread over registers of T.
template <class T> struct factors {
    typedef T vector __attribute__((vector_size(registers::bytes)));
    static constexpr int64_t width = registers::bytes / static_cast<int64_t>(sizeof(T));

    vector x_straight, x_crossed, y_straight, y_crossed;

    explicit factors(const row_operation &operation)
        : x_straight(spread(operation.x_straight)), x_crossed(spread(operation.x_crossed)),
          y_straight(spread(operation.y_straight)), y_crossed(spread(operation.y_crossed)) {}

    static vector spread(const double (&pair)[2]) {
        vector v;
        for (int64_t k = 0; k < width; ++k)
            v[k] = static_cast<T>(pair[k % 2]);
        return v;
    }
    static vector swap(reg v) {
        return sizeof(T) == 4 ? (vector)registers::swap32(v) : (vector)registers::swap64(v);
    }

    template <term X, term Y> [[gnu::always_inline]] reg apply(reg x, reg y) const {
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
};

template <class T, term X, term Y, bool Stream> struct scaled_row {
    const factors<T> &f;

    [[gnu::always_inline]] reg whole(const char *x, const char *y) const {
        reg vx{};
        reg vy{};
        if constexpr (X != term::absent)
            vx = registers::load(x);
        if constexpr (Y != term::absent)
            vy = registers::load(y);
        return f.template apply<X, Y>(vx, vy);
    }
    [[gnu::always_inline]] void part(const char *x, char *y, int64_t bytes) const {
        reg vx{};
        reg vy{};
        if constexpr (X != term::absent)
            vx = registers::load_part(x, bytes / 4);
        if constexpr (Y != term::absent)
            vy = registers::load_part(y, bytes / 4);
        registers::store_part(y, f.template apply<X, Y>(vx, vy), bytes / 4);
    }

    void operator()(const char *x, char *y, int64_t n) const {
        int64_t k = 0;
        if constexpr (Stream) {
            const int64_t head = least(n, bytes_to_next_line(y));
            for (; k + registers::bytes <= head; k += registers::bytes)
                registers::store(y + k, whole(x + k, y + k));
            if (k < head)
                part(x + k, y + k, head - k);
            k = head;
            for (; k + line <= n; k += line) {
#pragma GCC unroll 4
                for (int64_t part = 0; part < line; part += registers::bytes)
                    registers::stream(y + k + part, whole(x + k + part, y + k + part));
            }
        }
        for (; k + registers::bytes <= n; k += registers::bytes)
            registers::store(y + k, whole(x + k, y + k));
        if (k < n)
            part(x + k, y + k, n - k);
    }
};

template <class T, term X, term Y, bool Stream>
void scale_all(const row_block &block, const row_operation &operation) {
    const factors<T> f(operation);
    const scaled_row<T, X, Y, Stream> one{f};
    for (int64_t row = 0; row < block.rows; ++row)
        one(block.x + row * block.x_stride, block.y + row * block.y_stride,
            block.n * static_cast<int64_t>(sizeof(T)));
}

template <class T, term X> void scale_with_x(const row_block &block, const row_operation &op) {
    switch (op.y) {
    case term::absent:
        return op.stream ? scale_all<T, X, term::absent, true>(block, op)
                         : scale_all<T, X, term::absent, false>(block, op);
    case term::straight:
        return scale_all<T, X, term::straight, false>(block, op);
    case term::crossed:
        return scale_all<T, X, term::crossed, false>(block, op);
    }
}

template <class T> void scale_rows(const row_block &block, const row_operation &op) {
    switch (op.x) {
    case term::absent:
        return scale_with_x<T, term::absent>(block, op);
    case term::straight:
        return scale_with_x<T, term::straight>(block, op);
    case term::crossed:
        return scale_with_x<T, term::crossed>(block, op);
    }
}

} // namespace

extern const row_kernels TENFOLD_KERNEL_SYMBOL(rows, TENFOLD_KERNEL_ISA);
const row_kernels TENFOLD_KERNEL_SYMBOL(rows, TENFOLD_KERNEL_ISA) = {copy_rows, scale_rows<float>,
                                                                     scale_rows<double>};

} // namespace tenfold::transpose_impl
