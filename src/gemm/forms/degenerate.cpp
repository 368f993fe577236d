#include "gemm/forms/degenerate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "base/streaming.hpp"
#include "base/with_type.hpp"
#include "base/workspace.hpp"
#include "gemm/forms/fetch_ahead.hpp"
#include "gemm/plan/choose.hpp"

namespace tenfold::gemm_impl {
namespace {

/// Returns the sum of terms[i * stride] over i in `part`, computed recursively by halves. Its error
/// grows with the logarithm of the number of terms (Higham, Accuracy and Stability, section 4.2).
template <class T> T tree_sum(const T *terms, index_t stride, base::range part) noexcept {
    if (part.size() == 1)
        return terms[part.begin * stride];
    const index_t middle = part.begin + part.size() / 2;
    return tree_sum(terms, stride, {part.begin, middle}) +
           tree_sum(terms, stride, {middle, part.end});
}

using base::range;

template <class T> void combine(T &d, T value, T beta) noexcept {
    d = beta == T{} ? value : value + beta * d;
}

template <class T>
void gather(const T *from, index_t stride, bool conj, T *to, range part) noexcept {
    for (index_t i = part.begin; i < part.end; ++i)
        to[i] = base::op(from[i * stride], conj);
}

index_t element_bytes(index_t n, data_type type) noexcept {
    return base::aligned_bytes(n * size_of(type));
}

/// Multiplies a part of A in which neither stride is 1, block by block through a column-major copy.
template <class T>
void gemv_gather(const gemv_problem &p, matrix_vector part, const T *a) noexcept {
    constexpr index_t rows = gemv_problem::gathered_rows;
    constexpr index_t columns = gemv_problem::gathered_columns;
    alignas(64) T block[rows * columns];
    const index_t rs = p.shape.row_stride_a;
    const index_t cs = p.shape.column_stride_a;
    const T one(1);
    for (index_t i = 0; i < part.m; i += rows) {
        matrix_vector piece = part;
        piece.m = std::min(rows, part.m - i);
        piece.a = block;
        piece.stride = rows;
        piece.y = static_cast<T *>(part.y) + i;
        for (index_t q = 0; q < part.k; q += columns) {
            piece.k = std::min(columns, part.k - q);
            for (index_t r = 0; r < piece.m; ++r)
                for (index_t c = 0; c < piece.k; ++c)
                    block[r + c * rows] = a[(i + r) * rs + (q + c) * cs];
            piece.x = static_cast<const T *>(part.x) + q;
            piece.beta = q == 0 ? part.beta : &one;
            p.kernel->gemv_columns(&piece);
        }
    }
}

/// Multiplies some rows and steps of A with a contiguous x, B, into a contiguous y, D.
template <class T> void gemv_part(const gemv_problem &p, const typed_operands<T> &x, range rows,
                                  range steps, const T *next_a = nullptr) noexcept {
    const gemm_shape &s = p.shape;
    if (rows.empty())
        return;
    const index_t to_part = rows.begin * s.row_stride_a + steps.begin * s.column_stride_a;
    const T *a = x.a + to_part;
    matrix_vector part{.m = rows.size(),
                       .k = steps.size(),
                       .a = a,
                       .stride = 0,
                       .conj_a = s.conj_a,
                       .x = x.b + steps.begin,
                       .alpha = &x.alpha,
                       .beta = &x.beta,
                       .y = x.d + rows.begin,
                       .lone = s.m == 1,
                       .order = p.order};
    switch (p.form()) {
    case gemv_problem::access::columns:
        part.stride = s.column_stride_a;
        return p.kernel->gemv_columns(&part);
    case gemv_problem::access::rows:
        part.stride = s.row_stride_a;
        if (next_a != nullptr)
            part.next_a = next_a + to_part;
        return p.kernel->gemv_rows(&part);
    case gemv_problem::access::gather:
        return gemv_gather(p, part, a);
    }
}

template <class T>
void gemv_typed(const gemv_problem &p, const typed_operands<T> &x, const T *next_a) noexcept {
    const gemm_shape &s = p.shape;
    T *packed_x = reinterpret_cast<T *>(x.workspace);
    T *partial = reinterpret_cast<T *>(x.workspace +
                                       (p.gathers_x() ? element_bytes(s.k, s.type) : index_t{0}));
    const index_t leaves = p.leaves();
    const bool buffered = p.buffers_y();

    base::run_parallel(p.threads, [&](base::team_member me) {
        typed_operands<T> own = x;
        if (p.gathers_x()) {
            gather(x.b, s.row_stride_b, s.conj_b, packed_x,
                   base::split(s.k, me.size(), me.id(), row_grain));
            own.b = packed_x;
            me.barrier();
        }
        const range rows = base::split(s.m, me.size(), me.id(), row_grain);
        const auto finished = [&] {
            if (x.finish != nullptr)
                x.finish->apply(rows, {0, 1}, x.d, s.row_stride_d, s.column_stride_d);
        };
        if (!buffered) {
            gemv_part(p, own, rows, {0, s.k}, next_a);
            return finished();
        }

        own.alpha = T(1);
        own.beta = T(0);
        own.d = partial;
        if (leaves == 1) {
            gemv_part(p, own, rows, {0, s.k});
        } else {
            const range mine = base::split(leaves, me.size(), me.id());
            for (index_t leaf = mine.begin; leaf < mine.end; ++leaf) {
                own.d = partial + leaf * s.m;
                gemv_part(
                    p, own, {0, s.m},
                    base::split(s.k, static_cast<int>(leaves), static_cast<int>(leaf), row_grain));
            }
            me.barrier();
        }
        for (index_t i = rows.begin; i < rows.end; ++i)
            combine(x.d[i * s.row_stride_d], x.alpha * tree_sum(partial + i, s.m, {0, leaves}),
                    x.beta);
        finished();
    });
}

/// Returns how many columns before they are written the lines are fetched that columns share, where
/// what lies between goes past the caches; 0: there are none. Nothing else would fetch them, and
/// the stores behind would wait for each.
index_t columns_ahead(const outer_problem &p, const void *d, index_t rows) noexcept {
    constexpr index_t bytes_ahead = 4096; // Zen 4: 2 to 8 KiB are equal, 1 KiB takes 1.2 x the time
    const bool shares =
        p.cuts_lines() || reinterpret_cast<std::uintptr_t>(d) % base::streamed_line != 0;
    return p.streams && !p.adjoins && shares ? 1 + bytes_ahead / (rows * size_of(p.shape.type)) : 0;
}

/// Bytes of adjoining columns that are computed at a time: they stay in L1 until they are copied.
constexpr index_t block_of_columns = 8192;

/// Computes adjoining columns of D for beta = 0. Those that leave the caches go past them, in whole
/// lines also where columns share some; shorter ones than a register are computed beside D and
/// copied for that. So are the last columns of a D that stays in the caches, because nothing
/// overwrites what the kernel writes behind them.
template <class T> void fill_columns(const outer_problem &p, const typed_operands<T> &x,
                                     const T *column, range columns) noexcept {
    constexpr std::size_t longest_register = 256 / sizeof(T);
    constexpr std::size_t in_block = block_of_columns / sizeof(T);
    alignas(64) std::array<T, in_block + longest_register> padded;
    alignas(64) std::array<T, in_block + longest_register> block;
    const gemm_shape &s = p.shape;
    const index_t length = p.kernel->vector_length;
    const T one(1);
    const T zero{};
    std::copy_n(column, s.m, padded.data());
    for (index_t i = 0; i < length; ++i) // the column again
        padded[static_cast<std::size_t>(s.m + i)] = padded[static_cast<std::size_t>(i)];
    const auto fill = [&](range some, T *to, bool streams) {
        const adjoining_columns all{.m = s.m,
                                    .n = some.size(),
                                    .x = padded.data(),
                                    .b = x.b + some.begin * s.column_stride_b,
                                    .stride = s.column_stride_b,
                                    .alpha = &x.alpha,
                                    .d = to,
                                    .streams = streams};
        p.kernel->fill_columns(&all);
    };
    if (p.streams && !p.copies_blocks())
        return fill(columns, x.d + columns.begin * s.m, true);
    index_t j = columns.begin;
    if (const index_t last = base::divide_up(length, s.m); !p.streams && columns.size() > last) {
        j = columns.end - last;
        fill({columns.begin, j}, x.d + columns.begin * s.m, false);
    }
    while (j < columns.end) {
        const range some{j, std::min(columns.end, j + index_t{in_block} / s.m)};
        fill(some, block.data(), false);
        p.kernel->axpby(some.size() * s.m, &one, block.data(), false, &zero, x.d + j * s.m,
                        p.streams);
        j = some.end;
    }
}

/// Fetches the beginning of the row that the next product of a loop reads, if it is another one:
/// hardware follows its lines only after the first ones have been waited for, and few columns'
/// stores past the caches fill the core's buffer meanwhile.
template <class T>
void fetch_beginning(const gemm_shape &s, const T *now, const void *later) noexcept {
    constexpr index_t lines = 16;
    if (later == nullptr || later == now)
        return;
    constexpr index_t in_line = base::streamed_line / index_t{sizeof(T)};
    const bool adjacent = s.column_stride_b == 1;
    fetch_ahead::of({.from = static_cast<const std::byte *>(later),
                     .rows = 1,
                     .columns = std::min(s.n, adjacent ? lines * in_line : lines),
                     .row_stride = adjacent ? 0 : 1,
                     .column_stride = s.column_stride_b},
                    sizeof(T), 1)
        .next();
}

template <class T> void outer_typed(const outer_problem &p, const typed_operands<T> &x,
                                    const following &next) noexcept {
    const gemm_shape &s = p.shape;
    const bool gathered = s.row_stride_a != 1;
    T *packed_a = reinterpret_cast<T *>(x.workspace);
    if (p.threads == 1)
        fetch_beginning(s, x.b, next.b);
    base::run_parallel(p.threads, [&](base::team_member me) {
        const T *column = x.a;
        if (gathered) {
            gather(x.a, s.row_stride_a, false, packed_a,
                   base::split(s.m, me.size(), me.id(), row_grain));
            column = packed_a;
            me.barrier();
        }
        const bool by_columns = s.n >= s.m;
        const range columns = by_columns ? base::split(s.n, me.size(), me.id()) : range{0, s.n};
        const range rows =
            by_columns ? range{0, s.m} : base::split(s.m, me.size(), me.id(), row_grain);
        if (rows.empty())
            return;
        if (p.adjoins && x.beta == T{} && x.finish == nullptr) {
            fill_columns(p, x, column, columns);
            if (p.streams)
                finish_streaming_before(next, p.threads);
            return;
        }
        index_t finished = columns.begin;
        const index_t strip = std::max<index_t>(1, 1024 / rows.size()); // columns that stay in L1
        const index_t ahead = columns_ahead(p, x.d, rows.size());
        for (index_t j = columns.begin; j < columns.end; ++j) {
            const T factor = x.alpha * base::op(x.b[j * s.column_stride_b], s.conj_b);
            T *to = x.d + j * s.column_stride_d + rows.begin * s.row_stride_d;
            if (ahead > 0 && ahead < columns.end - j) {
                const T *const later = to + ahead * s.column_stride_d;
                __builtin_prefetch(later, 1);
                __builtin_prefetch(later + rows.size() - 1, 1);
            }
            if (s.row_stride_d == 1)
                p.kernel->axpby(rows.size(), &factor, column + rows.begin, s.conj_a, &x.beta, to,
                                p.streams && x.finish == nullptr);
            else
                for (index_t i = rows.begin; i < rows.end; ++i, to += s.row_stride_d)
                    combine(*to, factor * base::op(column[i], s.conj_a), x.beta);
            if (x.finish != nullptr && (j + 1 - finished >= strip || j + 1 == columns.end)) {
                x.finish->apply(rows, {finished, j + 1}, x.d, s.row_stride_d, s.column_stride_d);
                finished = j + 1;
            }
        }
        if (p.streams)
            finish_streaming_before(next, p.threads);
    });
}

} // namespace

void scale_matrix(const gemm_shape &s, scalar beta, void *d, int threads) noexcept {
    base::with_arithmetic_type(s.type, [&]<class T>(T) {
        scale_elements(s, base::scalar_cast<T>(beta), static_cast<T *>(d), threads);
    });
}

gemv_problem make_gemv_problem(const gemm_shape &shape, const micro_kernel &kernel,
                               const base::machine &machine, int threads, double whole_a) noexcept {
    gemv_problem p{shape, &kernel, threads};
    const auto bytes_of = [&](double elements) {
        return elements * static_cast<double>(size_of(shape.type));
    };
    const auto m = static_cast<double>(shape.m);
    const auto k = static_cast<double>(shape.k);
    if (p.form() == gemv_problem::access::gather ||
        bytes_of(std::max(whole_a, m * k)) <= static_cast<double>(machine.l2.size))
        return p;
    // Hardware follows lines within a page. Side by side, runs shorter than that end before it has
    // learnt to; in turn, all of them are one run, unless pages lie between them. A column of a few
    // registers waits for the sums that the one before has stored (docs/adr/0007).
    constexpr double few_registers = 256; // bytes
    const double page = static_cast<double>(machine.page);
    if (p.form() == gemv_problem::access::rows)
        p.order = bytes_of(k) <= page ? sweep::in_turn : sweep::side_by_side;
    else if (bytes_of(m) >= few_registers && bytes_of(m) <= page &&
             std::abs(bytes_of(static_cast<double>(shape.column_stride_a))) < page)
        p.order = sweep::in_turn;
    else
        p.order = sweep::fetched;
    return p;
}

gemv_problem::access gemv_problem::form() const noexcept {
    if (shape.column_stride_a == 1 &&
        (shape.m == 1 || shape.row_stride_a != 1 || shape.k > shape.m))
        return access::rows;
    if (shape.row_stride_a == 1)
        return access::columns;
    return shape.column_stride_a == 1 ? access::rows : access::gather;
}

index_t gemv_problem::leaves() const noexcept { return choose_vector_leaves(shape.m, shape.k); }

bool gemv_problem::gathers_x() const noexcept {
    return (shape.row_stride_b != 1 && shape.k > 1) || shape.conj_b;
}
bool gemv_problem::buffers_y() const noexcept {
    return leaves() > 1 || (shape.row_stride_d != 1 && shape.m > 1);
}

byte_count gemv_problem::workspace_size() const {
    constexpr const char *what = "bytes of vectors that are copied";
    const auto checked_bytes = [&](index_t n) {
        const index_t exact = base::checked_multiply(n, size_of(shape.type), what);
        base::checked_add(exact, base::workspace_alignment, what);
        return element_bytes(n, shape.type);
    };
    const index_t x = gathers_x() ? checked_bytes(shape.k) : 0;
    const index_t y =
        buffers_y() ? checked_bytes(base::checked_multiply(leaves(), shape.m, what)) : 0;
    return bytes(base::checked_add(x, y, what));
}

void run_gemv(const gemv_problem &problem, const product_operands<> &x,
              const void *next_a) noexcept {
    base::with_arithmetic_type(problem.shape.type, [&]<class T>(T) {
        gemv_typed(problem, typed<T>(x), static_cast<const T *>(next_a));
    });
}

outer_problem make_outer_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                 const base::machine &machine, int threads,
                                 index_t whole_d) noexcept {
    // Stores that bypass the cache write whole lines, but a column may begin and end with a part of
    // a line, and these are fetched.
    constexpr index_t few_lines = 256; // bytes
    constexpr index_t few_between = 512;
    const index_t size = size_of(shape.type);
    outer_problem p{shape, &kernel, threads};
    p.adjoins = kernel.fill_columns != nullptr && shape.row_stride_d == 1 &&
                shape.column_stride_d == shape.m && shape.n >= shape.m &&
                shape.m * size < few_between;
    const double d =
        static_cast<double>(std::max(shape.m * shape.n, whole_d)) * static_cast<double>(size);
    p.streams = shape.row_stride_d == 1 &&
                (p.adjoins || shape.m * size >= (p.cuts_lines() ? few_between : few_lines)) &&
                leaves_caches(d, machine, threads);
    return p;
}

bool outer_problem::cuts_lines() const noexcept {
    const index_t per_line = base::streamed_line / size_of(shape.type);
    return shape.m % per_line != 0 || shape.column_stride_d % per_line != 0;
}

byte_count outer_problem::workspace_size() const noexcept {
    return bytes(shape.row_stride_a != 1 ? element_bytes(shape.m, shape.type) : 0);
}

void run_outer(const outer_problem &problem, const product_operands<> &x,
               const following &next) noexcept {
    base::with_arithmetic_type(problem.shape.type,
                               [&]<class T>(T) { outer_typed(problem, typed<T>(x), next); });
}

} // namespace tenfold::gemm_impl
