#include "transpose/execute.hpp"

#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/parallel.hpp"

namespace tenfold::transpose_impl {
namespace {

using term = row_operation::term;

/// Elements before `p`'s cache line's end that make up its last part: tiles that start there write
/// whole lines.
index_t phase_of(const char *p, index_t element) noexcept {
    constexpr std::uintptr_t line = 64;
    return static_cast<index_t>(reinterpret_cast<std::uintptr_t>(p) % line) / element;
}

/// One tile: where it lies and how large it is.
struct tile {
    const char *a;
    char *b;
    index_t m; ///< across
    index_t n; ///< along
};

/// The tiles in the order of the schedule's loops.
class tile_cursor {
public:
    tile_cursor(const schedule &plan, const char *a, char *b) noexcept
        : plan_(plan), a_(a), b_(b),
          phase_along_(plan.along.cut_at_lines ? phase_of(b, plan.size_b) : 0),
          phase_across_(plan.across.cut_at_lines ? phase_of(a, plan.size_a) : 0) {
        for (std::size_t k = 0; k < plan.loops.size(); ++k) {
            counts_[k] = count_of(plan.loops[k]);
            total_ *= counts_[k];
        }
    }

    index_t total() const noexcept { return total_; }

    void move_to(index_t number) noexcept {
        for (std::size_t k = plan_.loops.size(); k-- > 0;) {
            set(k, number % counts_[k]);
            number /= counts_[k];
        }
    }

    void advance() noexcept {
        for (std::size_t k = plan_.loops.size(); k-- > 0;) {
            if (index_[k] + 1 < counts_[k]) {
                set(k, index_[k] + 1);
                return;
            }
            set(k, 0);
        }
    }

    tile current() const noexcept {
        const piece along = cut(plan_.along, along_, phase_along_);
        const piece across = cut(plan_.across, across_, phase_across_);
        const index_t offset_a =
            offset_a_ + along.first * plan_.along.stride_a + across.first * plan_.across.stride_a;
        const index_t offset_b =
            offset_b_ + along.first * plan_.along.stride_b + across.first * plan_.across.stride_b;
        return {a_ == nullptr ? nullptr : a_ + offset_a, b_ + offset_b, across.size, along.size};
    }

private:
    struct piece {
        index_t first, size;
    };

    static piece cut(const tile_side &side, index_t number, index_t phase) noexcept {
        const index_t first = std::max<index_t>(0, number * side.step - phase);
        const index_t last = std::min(side.extent, (number + 1) * side.step - phase);
        return {first, last - first};
    }

    index_t count_of(const tile_loop &loop) const noexcept {
        switch (loop.what) {
        case tile_loop::walk::along:
            return plan_.along.tiles(phase_along_);
        case tile_loop::walk::across:
            return plan_.across.tiles(phase_across_);
        case tile_loop::walk::mode:
            break;
        }
        return loop.extent;
    }

    void set(std::size_t k, index_t value) noexcept {
        const tile_loop &loop = plan_.loops[k];
        switch (loop.what) {
        case tile_loop::walk::along:
            along_ = value;
            break;
        case tile_loop::walk::across:
            across_ = value;
            break;
        case tile_loop::walk::mode:
            offset_a_ += (value - index_[k]) * loop.stride_a;
            offset_b_ += (value - index_[k]) * loop.stride_b;
            break;
        }
        index_[k] = value;
    }

    /// Each mode that is left has an extent of 2 or more and their product fits 63 bits; the two
    /// sides of the tile come on top.
    static constexpr std::size_t most_loops = 66;

    const schedule &plan_;
    const char *a_;
    char *b_;
    index_t phase_along_, phase_across_;
    std::array<index_t, most_loops> counts_;
    std::array<index_t, most_loops> index_{};
    index_t total_ = 1;
    index_t along_ = 0, across_ = 0;
    index_t offset_a_ = 0, offset_b_ = 0;
};

/// One thread's work.
class tile_runner {
public:
    tile_runner(const schedule &plan, const kernel_choice &kernels,
                const row_operation &operation) noexcept
        : plan_(plan), kernels_(kernels), operation_(operation),
          rows_(operation.copies ? kernels.copy : kernels.scale),
          row_unit_(operation.copies ? kernels.copy_unit : kernels.scale_unit) {}

    void operator()(const tile &now, const tile &next) noexcept {
        if (plan_.how == method::elements) {
            elements(now);
        } else if (operation_.x == term::absent) {
            rows(now, {nullptr, 0}, 0, now.m);
        } else if (plan_.how == method::rows) {
            const row_source from_a{now.a, plan_.across.stride_a};
            if (now.a == next.a || now.n * plan_.size_a >= long_row)
                rows(now, from_a, 0, now.m);
            else
                rows_while_fetching(now, from_a,
                                    {next.a, plan_.across.stride_a, next.m, next.n * plan_.size_a});
        } else if (operation_.copies && (!operation_.stream || moves_whole_lines(now))) {
            move(now, next, next.n, now.b, plan_.across.stride_b, operation_.stream);
        } else {
            // Memory is kept busy in both halves: a quarter of the next tile's columns are fetched
            // while this one moves, the others while its rows are written.
            const index_t early = next.n / 4;
            const index_t pitch = buffer_pitch(now.n * plan_.size_a);
            move(now, next, early, buffer_.data(), pitch, false);
            rows_while_fetching(now, {buffer_.data(), pitch},
                                {next.a + early * plan_.along.stride_a, plan_.along.stride_a,
                                 next.a == now.a ? 0 : next.n - early, next.m * plan_.size_a});
        }
    }

private:
    /// From here on the hardware's prefetcher has long found the stream.
    static constexpr index_t long_row = 4 << 10;

    struct row_source {
        const char *x;
        index_t stride;
    };
    /// Pieces of A that the next tile reads.
    struct pieces {
        const char *first;
        index_t stride; ///< bytes between pieces
        index_t count;
        index_t bytes; ///< of one
    };

    /// Streaming without the buffer: every register is a whole line of B.
    bool moves_whole_lines(const tile &now) const noexcept {
        constexpr std::uintptr_t line = 64;
        return kernels_.moves_lines && plan_.lines_of_b &&
               reinterpret_cast<std::uintptr_t>(now.b) % line == 0;
    }

    // Where A is not read, its place is taken by B's: kernels add offsets to the pointer.
    void elements(const tile &now) noexcept {
        kernels_.element({now.a == nullptr ? now.b : now.a, plan_.across.stride_a,
                          plan_.along.stride_a, now.b, plan_.across.stride_b, plan_.along.stride_b,
                          now.m, now.n},
                         operation_);
    }

    void rows(const tile &now, row_source from, index_t first, index_t count) noexcept {
        char *y = now.b + first * plan_.across.stride_b;
        rows_({from.x == nullptr ? y : from.x + first * from.stride, from.stride, y,
               plan_.across.stride_b, count, now.n * row_unit_},
              operation_);
    }

    /// Rows in groups, and between groups an equal share of the next tile's lines.
    void rows_while_fetching(const tile &now, row_source from, const pieces &next) noexcept {
        constexpr index_t group_bytes = 1 << 10;
        constexpr index_t line = 64;
        const index_t group = std::max<index_t>(1, group_bytes / (now.n * plan_.size_b));
        index_t fetched = 0;
        for (index_t first = 0; first < now.m; first += group) {
            const index_t count = std::min(group, now.m - first);
            const index_t due = next.count * (first + count) / now.m;
            for (; fetched < due; ++fetched)
                for (index_t byte = 0; byte < next.bytes; byte += line)
                    __builtin_prefetch(next.first + fetched * next.stride + byte);
            rows(now, from, first, count);
        }
    }

    void move(const tile &now, const tile &next, index_t prefetched, char *dst, index_t dst_stride,
              bool stream) noexcept {
        kernels_.move({now.a, plan_.along.stride_a, dst, dst_stride, now.m, now.n, next.a - now.a,
                       next.a == now.a ? 0 : prefetched, stream});
    }

    const schedule &plan_;
    const kernel_choice &kernels_;
    const row_operation &operation_;
    row_kernel rows_;
    index_t row_unit_;
    alignas(64) std::array<char, buffer_bytes> buffer_;
};

/// Streamed lines are not ordered with other stores; whoever reads B next must see them.
void finish_streaming() noexcept {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

} // namespace

void run(const schedule &plan, const kernel_choice &kernels, const row_operation &operation,
         const char *a, char *b) noexcept {
    const char *first_a = operation.x == term::absent ? nullptr : a + plan.first_a;
    char *first_b = b + plan.first_b;
    base::run_parallel(plan.threads, [&](base::team_member member) {
        tile_cursor cursor(plan, first_a, first_b);
        const base::range mine = base::split(cursor.total(), member.size(), member.id());
        if (mine.empty())
            return;
        tile_runner run_tile(plan, kernels, operation);
        cursor.move_to(mine.begin);
        tile now = cursor.current();
        for (index_t number = mine.begin; number + 1 < mine.end; ++number) {
            cursor.advance();
            const tile next = cursor.current();
            run_tile(now, next);
            now = next;
        }
        run_tile(now, now);
        if (operation.stream)
            finish_streaming();
    });
}

} // namespace tenfold::transpose_impl
