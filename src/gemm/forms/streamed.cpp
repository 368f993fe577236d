#include "gemm/forms/streamed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "base/streaming.hpp"
#include "base/workspace.hpp"
#include "gemm/plan/choose.hpp"

namespace tenfold::gemm_impl {
namespace {

using base::range;

double to_double(index_t n) noexcept { return static_cast<double>(n); }

/// Returns true if tiles of D, beginning at a line, can be written in whole lines.
bool writes_lines(const gemm_shape &s, const micro_kernel &kernel) noexcept {
    const index_t size = size_of(s.type);
    return s.m >= std::max(s.n, s.k) && kernel.mr * size % base::streamed_line == 0 &&
           s.column_stride_d % (base::streamed_line / size) == 0;
}

/// Returns true if a line of D takes two registers.
bool joins_lines(const gemm_shape &s, const micro_kernel &kernel) noexcept {
    return 2 * kernel.vector_length * size_of(s.type) == base::streamed_line;
}

/// Returns true if D may be written past the cache: also if registers are as long as lines, and D,
/// or the matrix it is a part of, does not stay in the caches.
bool may_bypass_caches(const streamed_problem &p, const base::machine &machine,
                       index_t whole_d) noexcept {
    const gemm_shape &s = p.shape;
    const index_t size = size_of(s.type);
    const double bytes = std::max(bytes_in_use(s, *p.kernel), to_double(whole_d) * to_double(size));
    return may_join_lines(s, *p.kernel, machine) ||
           (leaves_caches(bytes, machine, p.threads) &&
            p.kernel->vector_length * size >= base::streamed_line && writes_lines(s, *p.kernel));
}

/// Returns true if sums over a piece of k wait in the workspace for the next piece's.
bool holds_sums(const streamed_problem &p) noexcept {
    return p.way == stream_way::tall && p.kc < p.shape.k;
}

/// Returns the elements from column to column of `rows` sums: whole tiles, and a line more, lest
/// all columns share sets of a cache.
index_t sums_step(const streamed_problem &p, index_t rows) noexcept {
    return base::round_up(rows, p.kernel->mr) + base::streamed_line / size_of(p.shape.type);
}

/// Where sums wait; null: each piece of k adds to D itself.
struct held_sums {
    void *at = nullptr;
    index_t column_stride = 0;
};

/// Returns where the part of rows and columns lies in the operands of a product, from step k on.
following part_of(const streamed_problem &p, const following &whole, range rows, range columns,
                  index_t k = 0) noexcept {
    const gemm_shape &s = p.shape;
    const auto moved = [&](const void *from, index_t elements) {
        return static_cast<const std::byte *>(from) + elements * size_of(s.type);
    };
    return {moved(whole.a, rows.begin * s.row_stride_a + k * s.column_stride_a),
            moved(whole.b, k * s.row_stride_b + columns.begin * s.column_stride_b),
            moved(whole.d, rows.begin * s.row_stride_d + columns.begin * s.column_stride_d)};
}

enum class uses { once, again };

/// `of_d` says whether the caller uses D's part again, so that it should stay in the cache. `next`
/// is the part that the thread computes after this one.
void run_part(const streamed_problem &p, const loop_operands &x, range rows, range columns,
              uses of_d, const held_sums &sums, following next = {}) noexcept {
    const gemm_shape &s = p.shape;
    const following whole{x.a, x.b, x.d};
    std::byte *const d =
        static_cast<std::byte *>(x.d) +
        (rows.begin * s.row_stride_d + columns.begin * s.column_stride_d) * size_of(s.type);
    const bool streams = p.bypasses_caches && of_d == uses::once &&
                         reinterpret_cast<std::uintptr_t>(d) % base::streamed_line == 0;
    for (index_t k = 0; k < s.k; k += p.kc) {
        const bool last = k + p.kc >= s.k;
        const following now = part_of(p, whole, rows, columns, k);
        skinny_product part{{.m = rows.size(),
                             .n = columns.size(),
                             .k = std::min(p.kc, s.k - k),
                             .a = now.a,
                             .a_step = s.column_stride_a,
                             .b = now.b,
                             .b_step_k = s.row_stride_b,
                             .b_step_n = s.column_stride_b,
                             .alpha = x.alpha,
                             .beta = k == 0 ? x.beta : base::one_of(s.type),
                             .d = d,
                             .d_step = s.column_stride_d,
                             .streams = streams && last},
                            rows.size() <= p.cached_a};
        if (sums.at != nullptr) {
            if (last) {
                part.now.beta = x.beta;
                part.sums = sums.at;
                part.sums_step = sums.column_stride;
            } else {
                part.now.alpha = base::one_of(s.type);
                part.now.beta = k == 0 ? base::zero_of(s.type) : base::one_of(s.type);
                part.now.d = sums.at;
                part.now.d_step = sums.column_stride;
            }
        }
        const following then = last ? next : part_of(p, whole, rows, columns, k + p.kc);
        part.next_a = then.a;
        part.next_b = then.b;
        part.next_d = last ? then.d : part.now.d;
        p.multiply(&part);
    }
}

/// Calls work(rows, columns, next rows, next columns) for pieces of D whose sums take at most
/// p.cached_d elements, cut along the longer side. The next ones are empty after the last piece.
template <class Work>
void in_pieces(const streamed_problem &p, range rows, range columns, const Work &work) noexcept {
    const bool by_rows = rows.size() > columns.size();
    index_t most = by_rows ? p.cached_d / columns.size() - sums_step(p, 0)
                           : p.cached_d / sums_step(p, rows.size());
    if (by_rows && p.cached_a > 0)
        most = std::min(most, p.cached_a);
    const index_t tile = by_rows ? p.kernel->mr : p.kernel->nr;
    const index_t many = std::max<index_t>(1, most / tile) * tile;
    const range &cut = by_rows ? rows : columns;
    const auto from = [&](index_t i) { return range{i, std::min(cut.end, i + many)}; };
    for (range piece = from(cut.begin); !piece.empty(); piece = from(piece.end)) {
        const range next = from(piece.end);
        work(by_rows ? piece : rows, by_rows ? columns : piece, by_rows ? next : rows,
             by_rows ? columns : next);
    }
}

/// Computes D in pieces that are still in a cache when the next piece of k or the epilogue comes to
/// them. `held` is the calling thread's part of the workspace, null if it has none.
void run_in_pieces(const streamed_problem &p, const loop_operands &x, range rows, range columns,
                   std::byte *held, following next) noexcept {
    const gemm_shape &s = p.shape;
    const uses of_d = x.finish != nullptr ? uses::again : uses::once;
    in_pieces(p, rows, columns, [&](range some_rows, range some_columns, range next_rows,
                                    range next_columns) {
        const bool last = next_rows.empty() || next_columns.empty();
        run_part(p, x, some_rows, some_columns, of_d, {held, sums_step(p, some_rows.size())},
                 last ? next : part_of(p, {x.a, x.b, x.d}, next_rows, next_columns));
        if (x.finish != nullptr)
            x.finish->apply(some_rows, some_columns, x.d, s.row_stride_d, s.column_stride_d);
    });
}

/// Returns how many bytes of A or D wait in L2 for one thread. Short pieces come from L2 soonest;
/// B, unless it stays there too, passes once for each.
index_t bytes_that_wait(const streamed_problem &p, const base::machine &machine) noexcept {
    const index_t size = size_of(p.shape.type);
    // As a number that cannot overflow: with strides of 0, k times n may exceed any memory.
    const double elements_of_b = to_double(p.shape.k) * to_double(p.shape.n);
    const bool keeps_b = elements_of_b * to_double(size) <= to_double(machine.l2.size / 8);
    return keeps_b ? std::max(machine.l2.size / 8, 2 * machine.l1d.size) : machine.l2.size / 4;
}

/// Returns the elements of D that one thread computes in a piece of its own, at least one tile by
/// the shorter side.
index_t choose_cached_d(const streamed_problem &p, index_t waiting) noexcept {
    const index_t shorter = std::min(p.shape.m, p.shape.n);
    const index_t row_of_tiles = sums_step(p, 1) * shorter;
    const index_t column_of_tiles = sums_step(p, shorter) * p.kernel->nr;
    return std::max({waiting / size_of(p.shape.type), row_of_tiles, column_of_tiles});
}

index_t held_bytes(const streamed_problem &p) noexcept {
    return base::aligned_bytes(p.cached_d * size_of(p.shape.type));
}

} // namespace

double bytes_in_use(const gemm_shape &s, const micro_kernel &kernel) noexcept {
    const double d = to_double(s.m) * to_double(s.n);
    const double both = d + to_double(std::max(s.m, s.n)) * to_double(s.k);
    const double elements = joins_lines(s, kernel) ? both : std::max(d, both / 2);
    return elements * to_double(size_of(s.type));
}

bool may_join_lines(const gemm_shape &s, const micro_kernel &kernel,
                    const base::machine &machine) noexcept {
    // Of one core, for it decides on the form, which must not depend on the number of threads.
    return joins_lines(s, kernel) && leaves_caches(bytes_in_use(s, kernel), machine, 1) &&
           writes_lines(s, kernel);
}

streamed_problem make_streamed_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                       const base::machine &machine, int threads,
                                       index_t whole_d) noexcept {
    const chosen_stream chosen = choose_stream(shape, kernel, machine);
    const skinny_kernels &skinny = kernel.skinny;
    streamed_problem p{shape, &kernel};
    p.way = chosen.way;
    p.multiply = chosen.way == stream_way::tall   ? skinny.tall
                 : chosen.way == stream_way::wide ? skinny.wide
                                                  : skinny.deep;
    const index_t pieces = base::divide_up(shape.k, chosen.most_steps);
    p.kc = chosen.way == stream_way::deep ? chosen.most_steps : base::divide_up(shape.k, pieces);
    p.threads = threads;
    p.bypasses_caches = chosen.way != stream_way::deep && (pieces == 1 || holds_sums(p)) &&
                        may_bypass_caches(p, machine, whole_d);
    const index_t waiting = bytes_that_wait(p, machine);
    p.cached_d = choose_cached_d(p, waiting);
    if (chosen.fetches_columns)
        p.cached_a = std::max<index_t>(kernel.mr, waiting / (p.kc * size_of(shape.type)));
    return p;
}

byte_count streamed_problem::workspace_size() const noexcept {
    return bytes(holds_sums(*this) ? threads * held_bytes(*this) : 0);
}

void run_streamed(const streamed_problem &problem, const loop_operands &x,
                  following next) noexcept {
    const gemm_shape &s = problem.shape;
    base::run_parallel(problem.threads, [&](base::team_member me) {
        const bool by_rows = s.m >= s.n;
        const range rows =
            by_rows ? base::split(s.m, me.size(), me.id(), problem.kernel->mr) : range{0, s.m};
        const range columns =
            by_rows ? range{0, s.n} : base::split(s.n, me.size(), me.id(), problem.kernel->nr);
        if (rows.empty() || columns.empty())
            return;
        const following then =
            next.a != nullptr ? part_of(problem, next, rows, columns) : following{};
        std::byte *const held =
            holds_sums(problem) ? x.workspace + me.id() * held_bytes(problem) : nullptr;
        if (x.finish != nullptr || problem.kc < s.k || problem.cached_a > 0)
            run_in_pieces(problem, x, rows, columns, held, then);
        else
            run_part(problem, x, rows, columns, uses::once, {}, then);
        if (problem.bypasses_caches)
            finish_streaming_before(next, problem.threads);
    });
}

void run_streamed_alone(const streamed_problem &problem, const loop_operands &x) noexcept {
    run_part(problem, x, {0, problem.shape.m}, {0, problem.shape.n}, uses::again, {});
}

} // namespace tenfold::gemm_impl
