#include "gemm/forms/driver.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "gemm/forms/fetch_ahead.hpp"
#include "gemm/forms/joined.hpp"

namespace tenfold::gemm_impl {
namespace {

using base::divide_up;
using base::range;
using base::round_up;

/// One thread's way through the loops.
class walker {
public:
    walker(const macro_problem &problem, const loop_operands &x, base::team_member me) noexcept
        : p_(problem), s_(problem.shape), kernel_(*problem.kernel), blocks_(problem.blocks),
          alpha_(x.alpha), beta_(x.beta), a_(static_cast<const std::byte *>(x.a)),
          b_(static_cast<const std::byte *>(x.b)), d_(static_cast<std::byte *>(x.d)),
          finish_(x.finish), me_(me), grid_(choose_grid(me.size(), s_.m, s_.n, blocks_)),
          elements_(problem.elements) {
        const index_t a_bytes = p_.a_buffer_bytes();
        rows_ = base::split(s_.m, grid_.m, me.id() / grid_.n, blocks_.mr);
        // If A is read in place, each thread packs a remainder of its own. A packed block is shared
        // by the threads of one row range.
        const int buffer = p_.direct_a ? me.id() : me.id() / grid_.n;
        packed_a_ = x.workspace + buffer * a_bytes;
        packed_b_[0] = x.workspace + p_.threads * a_bytes;
        packed_b_[1] = packed_b_[0] + (p_.b_buffers() - 1) * p_.b_buffer_bytes();
    }

    void run() noexcept {
        for (index_t jc = 0; jc < s_.n; jc += blocks_.nc)
            for (index_t pc = 0; pc < s_.k; pc += blocks_.kc)
                run_panel({jc, std::min(s_.n, jc + blocks_.nc)},
                          {pc, std::min(s_.k, pc + blocks_.kc)});
    }

private:
    /// What is fetched while a block is multiplied.
    struct what_follows {
        fetch_ahead a, b;
        void next() noexcept {
            a.next();
            b.next();
        }
    };

    const std::byte *at_a(index_t i, index_t p) const noexcept {
        return a_ + (i * s_.row_stride_a + p * s_.column_stride_a) * elements_.input;
    }
    const std::byte *at_b(index_t p, index_t j) const noexcept {
        return b_ + (p * s_.row_stride_b + j * s_.column_stride_b) * elements_.input;
    }

    /// Packs this thread's share of B(steps x columns), then computes all products that use it.
    ///
    /// Two buffers alternate, so one barrier per panel is enough: a thread that packs into a buffer
    /// has passed the barrier that all threads reached after their last use of it.
    void run_panel(range columns, range steps) noexcept {
        const std::byte *panel = nullptr;
        if (!p_.direct_b) {
            std::byte *to = packed_b_[turn_];
            turn_ ^= 1;
            if (!base::work_part::stops()) // a stopped thread still has to pass the barriers
                pack_b(columns, steps, to);
            panel = to;
            me_.barrier();
        }
        const range mine = base::split(columns.size(), grid_.n, me_.id() % grid_.n, blocks_.nr);

        // Threads that share a block of A synchronise at barriers. All threads go through the same
        // number of blocks, because a barrier is for the whole team.
        const index_t most_rows =
            round_up(divide_up(divide_up(s_.m, blocks_.mr), grid_.m) * blocks_.mr, blocks_.mr);
        const index_t rounds = divide_up(most_rows, blocks_.mc);
        for (index_t round = 0; round < rounds; ++round) {
            const range block{std::min(rows_.end, rows_.begin + round * blocks_.mc),
                              std::min(rows_.end, rows_.begin + (round + 1) * blocks_.mc)};
            const bool shared = grid_.n > 1 && !p_.direct_a;
            const bool goes_on = !base::work_part::stops();
            if (goes_on)
                pack_a(block, steps);
            if (shared)
                me_.barrier();
            if (goes_on) {
                const index_t tiles =
                    divide_up(blocks_.mc, blocks_.mr) * divide_up(mine.size(), blocks_.nr);
                what_follows after{next_block(round, rounds, steps, tiles), {}};
                if (round + 1 == rounds)
                    after.b = next_panel(columns, steps, tiles);
                multiply_block(block, columns.begin, mine, steps, panel, after);
                if (base::work_part::is_watched())
                    base::work_part::done(share_of(block, mine, steps));
            }
            if (shared)
                me_.barrier();
        }
    }

    /// Returns this block's share of all products of the problem.
    double share_of(range rows, range columns, range steps) const noexcept {
        const auto part = [](range some, index_t all) {
            return static_cast<double>(some.size()) / static_cast<double>(all);
        };
        return part(rows, s_.m) * part(columns, s_.n) * part(steps, s_.k);
    }

    void pack_b(range columns, range steps, std::byte *to) const noexcept {
        const range mine = base::split(columns.size(), me_.size(), me_.id(), blocks_.nr);
        if (mine.empty())
            return;
        std::byte *const at = to + mine.begin * elements_.row_bytes(steps.size());
        if (p_.steps_of_term > 0)
            return pack_joined({kernel_.pack_b, blocks_.nr, columns.begin + mine.begin, mine.size(),
                                s_.column_stride_b, s_.row_stride_b, elements_.tail > 0},
                               {p_.steps_of_term, steps}, elements_, b_, at);
        const panel_source source{at_b(steps.begin, columns.begin + mine.begin),
                                  mine.size(),
                                  steps.size(),
                                  s_.column_stride_b,
                                  s_.row_stride_b,
                                  s_.conj_b};
        kernel_.pack_b(&source, at);
    }

    /// Returns how many rows of a block the kernel reads in place: whole micro-panels, and an
    /// incomplete last one if it consists of whole registers.
    index_t in_place(index_t rows) const noexcept {
        return rows % kernel_.vector_length == 0 ? rows : rows / blocks_.mr * blocks_.mr;
    }

    /// Packs the whole block, or, if A is read in place, only its incomplete last micro-panel.
    void pack_a(range block, range steps) const noexcept {
        range part = p_.direct_a
                         ? range{in_place(block.size()), block.size()}
                         : base::split(block.size(), grid_.n, me_.id() % grid_.n, blocks_.mr);
        if (part.empty())
            return;
        const index_t offset = p_.direct_a ? 0 : part.begin * elements_.row_bytes(steps.size());
        if (p_.steps_of_term > 0)
            return pack_joined({kernel_.pack_a, blocks_.mr, block.begin + part.begin, part.size(),
                                s_.row_stride_a, s_.column_stride_a, false},
                               {p_.steps_of_term, steps}, elements_, a_, packed_a_ + offset);
        const panel_source source{at_a(block.begin + part.begin, steps.begin),
                                  part.size(),
                                  steps.size(),
                                  s_.row_stride_a,
                                  s_.column_stride_a,
                                  s_.conj_a};
        kernel_.pack_a(&source, packed_a_ + offset);
    }

    /// Prefetches the part of A that this thread packs next, while the present block is multiplied:
    /// the next rows, or the first rows of the next steps.
    fetch_ahead next_block(index_t round, index_t rounds, range steps,
                           index_t tiles) const noexcept {
        const bool wraps = round + 1 == rounds;
        const index_t first = rows_.begin + (wraps ? 0 : round + 1) * blocks_.mc;
        const index_t k = wraps ? steps.end : steps.begin;
        if (!p_.fetches_a || p_.steps_of_term > 0)
            return {};
        return fetch_ahead::of({at_a(first, k), std::min(blocks_.mc, rows_.end - first),
                                std::min(blocks_.kc, s_.k - k), s_.row_stride_a,
                                s_.column_stride_a},
                               elements_.input, tiles);
    }

    /// Prefetches the part of B that this thread packs next, while the last block is multiplied.
    fetch_ahead next_panel(range columns, range steps, index_t tiles) const noexcept {
        if (!p_.fetches_b || p_.steps_of_term > 0)
            return {};
        if (steps.end == s_.k) {
            columns = {columns.end, std::min(s_.n, columns.end + blocks_.nc)};
            steps = {0, 0};
        }
        const range mine = base::split(columns.size(), me_.size(), me_.id(), blocks_.nr);
        return fetch_ahead::of({at_b(steps.end, columns.begin + mine.begin),
                                std::min(blocks_.kc, s_.k - steps.end), mine.size(),
                                s_.row_stride_b, s_.column_stride_b},
                               elements_.input, tiles);
    }

    /// Prefetches the tile of D `ahead` rows after the one at `strip` + row. Into L2, because a
    /// core waits for fewer lines of its L1: Zen 4 for 24, which is a third of what its memory can
    /// write, and hardware prefetches nothing of tiles that share pages. Always inline: GCC takes a
    /// function that only prefetches for one without effect.
    [[gnu::always_inline]] void fetch_output(const std::byte *strip, index_t row, index_t ahead,
                                             index_t rows, index_t columns) const noexcept {
        constexpr index_t line = 64;
        const index_t column_bytes = s_.column_stride_d * elements_.output;
        row += ahead;
        if (row >= rows) { // in a strip that follows
            const index_t height = round_up(rows, blocks_.mr);
            const index_t strips = row / height;
            row -= strips * height;
            columns -= strips * blocks_.nr;
            strip += strips * blocks_.nr * column_bytes;
        }
        const index_t bytes = std::min(blocks_.mr, rows - row) * elements_.output;
        const bool ends = row + blocks_.mr >= rows; // columns may end inside a line
        const std::byte *from = strip + row * elements_.output;
        for (index_t j = std::min(columns, blocks_.nr); j > 0; --j, from += column_bytes) {
            for (index_t byte = 0; byte < bytes; byte += line)
                __builtin_prefetch(from + byte, 0, 2);
            if (ends)
                __builtin_prefetch(from + bytes - 1, 0, 2);
        }
    }

    /// Returns true if micro-kernels write D past the caches: they do so where columns begin on
    /// registers, and read what they add to.
    bool streams() const noexcept {
        const auto size = static_cast<std::size_t>(elements_.output);
        const std::uint64_t zero[2] = {};
        return p_.streams && finish_ == nullptr && std::memcmp(beta_, zero, size) == 0 &&
               reinterpret_cast<std::uintptr_t>(d_) %
                       (static_cast<std::size_t>(kernel_.vector_length) * size) ==
                   0;
    }

    /// The macro-kernel: computes this thread's micro-tiles of one block of A and one panel of B.
    /// A's block stays in L2, and B's micro-panel stays in L1 while A's micro-panels stream
    /// through.
    void multiply_block(range block, index_t first_column, range columns, range steps,
                        const std::byte *panel, what_follows after) const noexcept {
        const bool direct = p_.direct_a || p_.direct_b;
        // More lines than a core waits for at a time are prefetched between the steps of a tile.
        constexpr index_t waited_for = 16; // of 22 on Zen 3, 24 on Zen 4
        delayed_tile delayed;
        const bool delays = !direct && kernel_.store_delayed != nullptr && streams();
        const bool beside = !direct && kernel_.multiply_fetching != nullptr &&
                            after.a.portion() + after.b.portion() > waited_for;
        const auto multiply = direct             ? kernel_.multiply_direct
                              : beside || delays ? kernel_.multiply_fetching
                                                 : kernel_.multiply;
        const index_t readable = in_place(block.size());
        const index_t row_bytes = elements_.row_bytes(steps.size());
        micro_tile tile{};
        tile.k = steps.size();
        tile.alpha = alpha_;
        tile.beta = steps.begin == 0 ? beta_ : elements_.one;
        tile.row_stride = s_.row_stride_d;
        tile.column_stride = s_.column_stride_d;
        tile.streams = p_.streams && finish_ == nullptr; // an epilogue reads D again
        tile.delayed = delays ? &delayed : nullptr;
        tile.b_step_k = p_.direct_b ? s_.row_stride_b : blocks_.nr;
        tile.b_step_n = p_.direct_b ? s_.column_stride_b : 1;
        const bool fetches = p_.fetches_d && !streams();
        constexpr index_t bytes_ahead = 12 << 10;
        const index_t tile_bytes = blocks_.mr * blocks_.nr * elements_.output;
        const index_t rows_ahead = divide_up(bytes_ahead, tile_bytes) * blocks_.mr;
        for (index_t j = columns.begin; j < columns.end; j += blocks_.nr) {
            const index_t column = first_column + j;
            tile.n = std::min(blocks_.nr, columns.end - j);
            tile.b = p_.direct_b ? at_b(steps.begin, column) : panel + j * row_bytes;
            std::byte *d = d_ + (block.begin * s_.row_stride_d + column * s_.column_stride_d) *
                                    elements_.output;
            for (index_t i = 0; i < block.size(); i += blocks_.mr) {
                tile.m = std::min(blocks_.mr, block.size() - i);
                if (p_.direct_a && i + tile.m <= readable) {
                    tile.a = at_a(block.begin + i, steps.begin);
                    tile.a_step = s_.column_stride_a;
                } else {
                    tile.a = packed_a_ + (p_.direct_a ? 0 : i * row_bytes);
                    tile.a_step = blocks_.mr;
                }
                tile.d = d + i * s_.row_stride_d * elements_.output;
                if (fetches)
                    fetch_output(d, i, rows_ahead, block.size(), columns.end - j);
                if (beside) {
                    tile.next_a = after.a.take();
                    tile.next_b = after.b.take();
                }
                multiply(&tile);
                if (!beside)
                    after.next();
            }
            // After the last block of k, finish a strip of D one micro-tile wide while it is still
            // in cache.
            if (finish_ != nullptr && steps.end == s_.k)
                finish_->apply(block, {column, column + tile.n}, d_, s_.row_stride_d,
                               s_.column_stride_d);
        }
        if (delayed.d != nullptr)
            kernel_.store_delayed(&delayed);
    }

    const macro_problem &p_;
    const gemm_shape &s_;
    const micro_kernel &kernel_;
    const blocking &blocks_;
    const void *alpha_;
    const void *beta_;
    const std::byte *a_;
    const std::byte *b_;
    std::byte *d_;
    const fused_epilogue *finish_;
    base::team_member me_;
    thread_grid grid_;
    const element_format &elements_;
    range rows_;
    std::byte *packed_a_;
    std::byte *packed_b_[2];
    int turn_ = 0;
};

} // namespace

void run_macro(const macro_problem &problem, const loop_operands &x,
               const following &next) noexcept {
    base::run_parallel(problem.threads, [&](base::team_member me) {
        walker(problem, x, me).run();
        if (problem.streams)
            finish_streaming_before(next, problem.threads);
    });
}

void run_macro_alone(const macro_problem &problem, const loop_operands &x) noexcept {
    walker(problem, x, base::team_member(0, 1)).run();
}

} // namespace tenfold::gemm_impl
