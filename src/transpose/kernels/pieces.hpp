// How the pieces of A that make up a strip are read: as they follow each other, or after they were
// collected in a buffer. Included by kernel sources only.
#pragma once

#include "transpose/kernels/elements.hpp"

namespace tenfold::transpose_impl {
namespace {

[[gnu::always_inline]] inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
[[gnu::always_inline]] inline int64_t phase_of(const char *p) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(p) % line);
}

/// Reads a strip's pieces at one tile, from the first to the last byte.
template <class E> class piece_reader {
public:
    piece_reader(const piece *pieces, int64_t offset)
        : next_(pieces), offset_(offset), at_(nullptr), left_(0) {}

    void skip(int64_t bytes) {
        for (; bytes > left_; open())
            bytes -= left_;
        at_ += bytes;
        left_ -= bytes;
    }

    /// n > 0 bytes as they follow each other: where they lie, or in `buffer` if they lie in several
    /// pieces.
    const char *contiguous(int64_t n, char *buffer) {
        while (left_ == 0)
            open();
        if (n <= left_) {
            const char *const there = at_;
            at_ += n;
            left_ -= n;
            return there;
        }
        for (int64_t filled = 0; filled < n;) {
            while (left_ == 0)
                open();
            const int64_t taken = least(left_, n - filled);
            __builtin_memcpy(buffer + filled, at_, static_cast<size_t>(taken));
            filled += taken;
            at_ += taken;
            left_ -= taken;
        }
        return buffer;
    }

    /// Whole registers that can be had from where the reader stands; opens the next piece first.
    int64_t whole_registers() {
        while (left_ == 0)
            open();
        return left_ / E::bytes_a;
    }
    reg whole() {
        const reg v = E::load(at_);
        at_ += E::bytes_a;
        left_ -= E::bytes_a;
        return v;
    }
    /// n elements, from as many pieces as it takes, to the register's places from `first` on.
    reg gathered(int64_t first, int64_t n) {
        typename E::raw v{};
        int64_t filled = first * E::size_a;
        const int64_t wanted = (first + n) * E::size_a;
        while (filled < wanted) {
            while (left_ == 0)
                open();
            const int64_t taken = least(left_, wanted - filled);
            v = E::load_raw(v, at_ - filled, filled / E::size_a, (filled + taken) / E::size_a);
            filled += taken;
            at_ += taken;
            left_ -= taken;
        }
        return E::from_raw(v);
    }

private:
    void open() {
        at_ = next_->src + offset_;
        left_ = next_->size;
        ++next_;
    }

    const piece *next_;
    int64_t offset_;
    const char *at_;
    int64_t left_;
};

/// Pieces that lie one after the other already.
template <class E> class buffer_reader {
public:
    explicit buffer_reader(const char *at) : at_(at) {}

    static int64_t whole_registers() { return INT64_MAX; }
    reg whole() {
        const reg v = E::load(at_);
        at_ += E::bytes_a;
        return v;
    }
    reg gathered(int64_t first, int64_t n) {
        const auto v = E::load_raw(typename E::raw{}, at_ - first * E::size_a, first, first + n);
        at_ += n * E::size_a;
        return E::from_raw(v);
    }

private:
    const char *at_;
};

/// Puts pieces of A one after the other. Whole registers are written: each piece's end is followed
/// by zeros that the next piece overwrites, the last one's by as many bytes.
template <class E> void collect(const piece *from, const piece *to, int64_t offset, char *buffer) {
    constexpr int unit_size = E::size_a < 4 ? E::size_a : 4; // what elements are multiples of
    using unit = same<unit_size>;
    for (; from != to; ++from) {
        const char *x = from->src + offset;
        int64_t left = from->size;
        for (; left >= registers::bytes; left -= registers::bytes) {
            registers::store(buffer, registers::load(x));
            x += registers::bytes;
            buffer += registers::bytes;
        }
        registers::store(buffer, unit::load(reg{}, x, 0, left / unit::size));
        buffer += left;
    }
}

} // namespace
} // namespace tenfold::transpose_impl
