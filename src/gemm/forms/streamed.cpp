#include "gemm/forms/streamed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "base/streaming.hpp"

namespace tenfold::gemm_impl {
namespace {

using base::range;

constexpr index_t line_bytes = 64;

/// Returns true if tiles of D, beginning at a line, can be written in whole lines.
bool writes_lines(const gemm_shape &s, const micro_kernel &kernel) noexcept {
    const index_t size = size_of(s.type);
    return s.m >= std::max(s.n, s.k) && kernel.mr * size % line_bytes == 0 &&
           s.column_stride_d % (line_bytes / size) == 0;
}

/// Returns true if D may be written past the cache: also if registers are as long as lines, and D,
/// or the matrix it is a part of, is too large for a cache.
bool may_bypass_caches(const gemm_shape &s, const micro_kernel &kernel, index_t whole_d) noexcept {
    const index_t size = size_of(s.type);
    return may_join_lines(s, kernel) ||
           (std::max(s.m * s.n, whole_d) >= base::beyond_caches / size &&
            kernel.vector_length * size >= line_bytes && writes_lines(s, kernel));
}

enum class uses { once, again };

/// `of_d` says whether the caller uses D's part again, so that it should stay in the cache.
void run_part(const streamed_problem &p, const loop_operands &x, range rows, range columns,
              uses of_d, following next = {}) noexcept {
    const gemm_shape &s = p.shape;
    const index_t size = size_of(s.type);
    const auto part_of_a = [&](const void *from, index_t k) {
        return static_cast<const std::byte *>(from) +
               (rows.begin * s.row_stride_a + k * s.column_stride_a) * size;
    };
    const auto part_of_b = [&](const void *from, index_t k) {
        return static_cast<const std::byte *>(from) +
               (k * s.row_stride_b + columns.begin * s.column_stride_b) * size;
    };
    const index_t part_of_d =
        (rows.begin * s.row_stride_d + columns.begin * s.column_stride_d) * size;
    std::byte *const d = static_cast<std::byte *>(x.d) + part_of_d;
    const bool streams = p.bypasses_caches && of_d == uses::once &&
                         reinterpret_cast<std::uintptr_t>(d) % line_bytes == 0;
    for (index_t k = 0; k < s.k; k += p.kc) {
        skinny_product part{{.m = rows.size(),
                             .n = columns.size(),
                             .k = std::min(p.kc, s.k - k),
                             .a = part_of_a(x.a, k),
                             .a_step = s.column_stride_a,
                             .b = part_of_b(x.b, k),
                             .b_step_k = s.row_stride_b,
                             .b_step_n = s.column_stride_b,
                             .alpha = x.alpha,
                             .beta = k == 0 ? x.beta : base::one_of(s.type),
                             .d = d,
                             .d_step = s.column_stride_d,
                             .streams = streams}};
        if (k + p.kc < s.k) {
            part.next_a = part_of_a(x.a, k + p.kc);
            part.next_b = part_of_b(x.b, k + p.kc);
            part.next_d = d;
        } else if (next.a != nullptr) {
            part.next_a = part_of_a(next.a, 0);
            part.next_b = part_of_b(next.b, 0);
            part.next_d = static_cast<const std::byte *>(next.d) + part_of_d;
        }
        p.multiply(&part);
    }
}

/// Calls work(rows, columns) for pieces of D of about `elements` elements, cut along the longer
/// side.
template <class Work> void in_pieces(const streamed_problem &p, index_t elements, range rows,
                                     range columns, const Work &work) noexcept {
    const bool by_rows = rows.size() > columns.size();
    const index_t across = by_rows ? columns.size() : rows.size();
    const index_t many = base::round_up(std::max<index_t>(1, elements / across),
                                        by_rows ? p.kernel->mr : p.kernel->nr);
    const range &cut = by_rows ? rows : columns;
    for (index_t i = cut.begin; i < cut.end; i += many) {
        const range piece{i, std::min(cut.end, i + many)};
        work(by_rows ? piece : rows, by_rows ? columns : piece);
    }
}

/// Computes D in pieces that are still in cache when the epilogue is applied to them.
void run_and_finish(const streamed_problem &p, const loop_operands &x, range rows,
                    range columns) noexcept {
    constexpr index_t piece_bytes = 64 << 10;
    const gemm_shape &s = p.shape;
    in_pieces(p, piece_bytes / size_of(s.type), rows, columns,
              [&](range some_rows, range some_columns) {
                  run_part(p, x, some_rows, some_columns, uses::again);
                  x.finish->apply(some_rows, some_columns, x.d, s.row_stride_d, s.column_stride_d);
              });
}

double half_of_l2(const blocking &blocks) noexcept { // elements
    return static_cast<double>(blocks.mc) * static_cast<double>(blocks.kc);
}

bool exceeds_l2(index_t rows, index_t columns, const blocking &blocks) noexcept {
    return static_cast<double>(rows) * static_cast<double>(columns) > 2 * half_of_l2(blocks);
}

/// Each of A's columns is a stream, of which a tile takes a few lines. Hardware prefetches them if
/// there are no more streams than it can track (docs/adr/0007).
constexpr index_t streams_followed = 40;
/// With a few more streams, what hardware misses costs less than another pass over D.
constexpr index_t streams_tolerated = 64;

/// Returns true if A streams from memory while D stays in L2: reading D repeatedly then costs
/// little, and with few columns there is little to compute while A arrives. False if columns are a
/// multiple of pages apart, because they evict each other from L1 even if they are prefetched.
bool waits_for_columns(const gemm_shape &s, const micro_kernel &kernel,
                       const blocking &blocks) noexcept {
    constexpr index_t page = 4096;
    return s.n >= kernel.nr && s.n <= 2 * kernel.nr && s.m >= 16 * kernel.mr &&
           exceeds_l2(s.m, s.k, blocks) && !exceeds_l2(s.m, 2 * s.n, blocks) &&
           s.column_stride_a % (page / size_of(s.type)) != 0;
}

/// How a product with one long extent of D takes k.
enum class long_side { rows_while_d_stays, rows, columns };

/// Returns how many steps of k are taken together, at most.
index_t steps_at_once(const gemm_shape &s, const blocking &blocks, long_side along) noexcept {
    const index_t in_l1 = std::max<index_t>(1, blocks.kc / 2); // half of L1 for a tile of A
    switch (along) {
    case long_side::rows_while_d_stays:
        return std::min(in_l1, streams_followed);
    case long_side::rows:
        if (exceeds_l2(s.m, s.k, blocks))
            return std::min(in_l1, s.k <= streams_tolerated ? streams_tolerated : streams_followed);
        break;
    case long_side::columns:
        break;
    }
    return in_l1;
}

} // namespace

bool may_join_lines(const gemm_shape &s, const micro_kernel &kernel) noexcept {
    constexpr double beyond_caches = 24 << 20; // most of a socket's caches, which others use too
    const index_t size = size_of(s.type);
    const double passing = static_cast<double>(s.m) *
                           (static_cast<double>(s.n) + static_cast<double>(s.k)) *
                           static_cast<double>(size);
    return passing >= beyond_caches && 2 * kernel.vector_length * size == line_bytes &&
           writes_lines(s, kernel);
}

streamed_problem make_streamed_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                       const blocking &blocks, int threads,
                                       index_t whole_d) noexcept {
    const index_t longest = std::max({shape.m, shape.n, shape.k});
    const skinny_kernels &skinny = kernel.skinny;
    const bool by_columns = waits_for_columns(shape, kernel, blocks); // also if k is longer than m
    const auto cached_d =
        static_cast<index_t>(std::clamp(half_of_l2(blocks) / 2, 1.0, double{INT32_MAX}));
    const bool tall = longest == shape.m || by_columns;
    if (tall || longest == shape.n) {
        const long_side along = by_columns ? long_side::rows_while_d_stays
                                : tall     ? long_side::rows
                                           : long_side::columns;
        const index_t pieces = base::divide_up(shape.k, steps_at_once(shape, blocks, along));
        return {shape,
                &kernel,
                tall ? skinny.tall : skinny.wide,
                base::divide_up(shape.k, pieces),
                threads,
                pieces == 1 && may_bypass_caches(shape, kernel, whole_d),
                cached_d};
    }
    // Both parts stay in L1 while the other's tiles stream through, and the next parts are
    // prefetched. A's part may take half of L1; packed micro-panels of B are given a third.
    const index_t cached = blocks.kc * blocks.nr * size_of(shape.type) * 3 / 2;
    const index_t fit = cached / (shape.m * size_of(shape.type));
    return {shape,   &kernel, skinny.deep, std::clamp<index_t>(fit / 16 * 16, 64, 256),
            threads, false,   cached_d};
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
        if (x.finish != nullptr)
            run_and_finish(problem, x, rows, columns);
        else if (problem.kc >= s.k)
            run_part(problem, x, rows, columns, uses::once, next);
        else // each piece of k reads what the one before has left of D
            in_pieces(
                problem, problem.cached_d, rows, columns, [&](range some_rows, range some_columns) {
                    const bool last = some_rows.end == rows.end && some_columns.end == columns.end;
                    run_part(problem, x, some_rows, some_columns, uses::once,
                             last ? next : following{});
                });
        // If one thread computes several products in a row, the last one fences the streaming
        // stores of all.
        if (problem.bypasses_caches && !(problem.threads == 1 && next.a != nullptr))
            base::finish_streaming();
    });
}

void run_streamed_alone(const streamed_problem &problem, const loop_operands &x) noexcept {
    run_part(problem, x, {0, problem.shape.m}, {0, problem.shape.n}, uses::again);
}

} // namespace tenfold::gemm_impl
