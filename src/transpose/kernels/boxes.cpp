// Copies boxes of a tensor into buffers: squares of registers are transposed where elements that
// are adjacent in the tensor lie apart in the buffer. Lines of the next box are fetched between
// them: a core that waits for a box as a whole waits for memory and computes in turns.
#include "simd/entry.hpp"
#include "transpose/kernels/box_abi.hpp"
#include "transpose/kernels/networks.hpp"

namespace tenfold::transpose_impl {
namespace {

/// Fetches a share of the lines at each step.
class fetching {
public:
    fetching(const coming_lines &lines, int64_t steps)
        : lines_(lines), each_((lines.count + steps - 1) / steps) {}

    void step() {
        const int64_t end = next_ + each_ < lines_.count ? next_ + each_ : lines_.count;
        for (; next_ < end; ++next_)
            __builtin_prefetch(lines_.first + lines_.at[next_], 0, 1);
    }

private:
    const coming_lines &lines_;
    int64_t each_, next_ = 0;
};

/// All lines that are needed soon.
struct fetching_all {
    fetching of[3];

    fetching_all(const coming_lines (&next)[3], int64_t steps)
        : of{{next[0], steps}, {next[1], steps}, {next[2], steps}} {}
    void step() {
        for (fetching &one : of)
            one.step();
    }
};

template <int Size> struct box_mover {
    static constexpr int64_t w = registers::bytes / Size; ///< elements of a register

    /// A square of registers, of which `q` <= w rows are there.
    [[gnu::always_inline]] static void square(const char *from, const int64_t *p_from, int64_t q,
                                              char *to, const int64_t *q_to) {
        reg r[static_cast<size_t>(w)];
        if (q == w) {
#pragma GCC unroll 16
            for (int64_t i = 0; i < w; ++i)
                r[i] = registers::load(from + p_from[i]);
        } else {
#pragma GCC unroll 16
            for (int64_t i = 0; i < w; ++i)
                r[i] = registers::load_words(reg{}, from + p_from[i], 0, q * Size / 4);
        }
        transpose_registers<Size>(r);
#pragma GCC unroll 16
        for (int64_t j = 0; j < w && j < q; ++j)
            registers::store(to + q_to[j], r[j]);
    }

    /// p columns that are no square, one element after the other.
    static void singly(const box_copy &x, const char *from, char *to) {
        for (int64_t q = 0; q < x.q; ++q)
            for (int64_t p = 0; p < x.p; ++p)
                __builtin_memcpy(to + x.q_to[q] + p * Size, from + x.p_from[p] + q * Size, Size);
    }

    /// Adjacent elements. Those of the last register may be copied twice.
    static void run(const char *from, char *to, int64_t bytes) {
        if (bytes < registers::bytes)
            return copy_bytes(to, from, bytes);
        for (int64_t at = 0; at + registers::bytes <= bytes; at += registers::bytes)
            registers::store(to + at, registers::load(from + at));
        if (bytes % registers::bytes != 0) {
            const int64_t last = bytes - registers::bytes;
            registers::store(to + last, registers::load(from + last));
        }
    }

    /// All p and q at one position of the dimensions. What is left beside squares overlaps them.
    static void plane(const box_copy &x, const char *from, char *to, fetching_all &coming) {
        if (x.p_from == nullptr || x.p < w) {
            coming.step();
            if (x.p_from == nullptr)
                run(from, to, x.p * Size);
            else
                singly(x, from, to);
            return;
        }
        for (int64_t p = 0;; p = p + 2 * w <= x.p ? p + w : x.p - w) {
            coming.step();
            if (x.q < w)
                square(from, x.p_from + p, x.q, to + p * Size, x.q_to);
            else
                for (int64_t q = 0;; q = q + 2 * w <= x.q ? q + w : x.q - w) {
                    square(from + q * Size, x.p_from + p, w, to + p * Size, x.q_to + q);
                    if (q + w == x.q)
                        break;
                }
            if (p + w == x.p)
                break;
        }
    }

    static void copy(const box_copy &x) {
        int64_t planes = 1;
        for (int64_t k = 0; k < x.dimension_count; ++k)
            planes *= x.dimensions[k].extent;
        const int64_t steps = planes * (x.p_from == nullptr || x.p < w ? 1 : (x.p + w - 1) / w);
        fetching_all coming(x.next, steps);
        int64_t counter[most_box_dimensions] = {};
        const char *from = x.from;
        char *to = x.to;
        for (;;) {
            plane(x, from, to, coming);
            int64_t k = 0;
            for (; k < x.dimension_count; ++k) {
                const box_dimension &along = x.dimensions[k];
                from += along.from;
                to += along.to;
                if (++counter[k] < along.extent)
                    break;
                from -= along.from * along.extent;
                to -= along.to * along.extent;
                counter[k] = 0;
            }
            if (k == x.dimension_count)
                return;
        }
    }
};

} // namespace
} // namespace tenfold::transpose_impl

using namespace tenfold::transpose_impl;
TENFOLD_DEFINE_ENTRY(box_kernels, {box_mover<4>::copy, box_mover<8>::copy})
