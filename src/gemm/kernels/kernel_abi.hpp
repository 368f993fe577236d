// The interface between the driver or an epilogue and the kernels: docs/kernel-contract.md.
//
// Kernel sources include this, headers of this folder and of src/simd, and intrinsics, nothing
// else. It must stay free of the standard library's templates: kernel sources are compiled for
// wider instruction sets, and an inline function instantiated there could be the copy that the
// linker keeps for every processor.
#pragma once

#include <stdint.h>

namespace tenfold::gemm_impl {

/// The cache lines of runs of bytes, one after the other.
struct line_runs {
    static constexpr int64_t line = 64; ///< bytes

    const char *next = nullptr;
    int64_t left = 1;  ///< lines of this run from the next one on
    int64_t lines = 1; ///< of a run
    int64_t gap = 0;   ///< bytes from behind a run's last line to the next run's first

    [[gnu::always_inline]] void move_on() {
        next += line;
        if (--left == 0) {
            next += gap;
            left = lines;
        }
    }
};

/// `count` of them, by which multiply_fetching moves them on.
struct lines_ahead {
    line_runs *of = nullptr;
    int64_t count = 0;
};

/// A tile of D on its way past the caches, which the next tile stores between its steps: as many
/// such stores at once fill the core's line buffers, and what is loaded meanwhile waits.
struct delayed_tile {
    alignas(64) char lines[24 * line_runs::line];
    void *d = nullptr; ///< where they go; null if there are none
    int64_t column_stride = 0;
};

/// One micro-tile, D(m x n) = alpha A(m x k) B(k x n) + beta D, 1 <= m <= MR, 1 <= n <= NR, k >= 0.
///
/// multiply: A and B are packed micro-panels (a_step and the b_steps are not read).
/// multiply_direct: row i, step p of A is a[i + p * a_step]; rows are read in whole vectors, so m
/// is a multiple of the vector length or A is a packed panel; step p, column j of B is
/// b[p * b_step_k + j * b_step_n].
///
/// D has any strides. It is not read when beta = 0.
struct micro_tile {
    int64_t m, n, k;
    const void *a, *b;
    int64_t a_step, b_step_k, b_step_n;
    const void *alpha, *beta; ///< one element each
    void *d;
    int64_t row_stride, column_stride;
    bool streams; ///< D past the cache, where registers of it are aligned and beta = 0
    lines_ahead next_a, next_b;      ///< what multiply_fetching prefetches into L2
    delayed_tile *delayed = nullptr; ///< null, or what multiply_fetching stores if it `streams`
};

/// Packs x(extent x k) into micro-panels of R rows: zero-padded to whole panels if `padded`, panel
/// after panel, step after step. A step of a real panel is R elements; of a complex one R real
/// parts, then R imaginary parts, these negated when `conj`.
struct panel_source {
    const void *x;
    int64_t extent, k;
    int64_t stride, stride_k; ///< elements, any sign
    bool conj;
    bool padded = true; ///< false: rows beyond the extent hold anything; words are always padded
};

/// How a matrix-vector kernel goes through A's columns or rows, of which it adds several up
/// together. Each element of y is the same sum in every way.
enum class sweep : int32_t {
    side_by_side, ///< element by element of all of them: A is in a cache
    fetched,      ///< the same; those of the next sweep are fetched into L2
    in_turn,      ///< one after the other: hardware follows none that is so short, but all together
};

/// y(m) = alpha op(A)(m x k) x + beta y; x and y contiguous, y not read when beta = 0. A's stride
/// is from column to column where its columns are contiguous, from row to row where its rows are.
struct matrix_vector {
    int64_t m, k;
    const void *a;
    int64_t stride;
    bool conj_a;
    const void *x;
    const void *alpha, *beta;
    void *y;
    bool lone = false;            ///< A's only row, not a part's: gemv_rows keeps more sums of it
    const void *next_a = nullptr; ///< where the next one, alike, has its A: rows are fetched
    sweep order = sweep::side_by_side;
};

/// Columns d_j(m) = (alpha b_j) x for j < n; each begins where the one before ends.
struct adjoining_columns {
    int64_t m, n;
    const void *x; ///< what follows its m elements up to a whole register is read, too
    const void *b;
    int64_t stride; ///< of b
    const void *alpha;
    void *d; ///< unless it streams, less than a register is overwritten behind the last column
    /// Whole lines of d go past the cache. m is a register or more; x is followed by its first
    /// elements, a register of them.
    bool streams = false;
};

/// D(m x n) = alpha A(m x k) B(k x n) + beta D, so small that nothing is worth packing; m, n, k
/// >= 1. A's and D's rows are adjacent, B's strides any. D is not read when beta = 0.
struct small_product {
    int64_t m, n, k;
    const void *a;
    int64_t a_step; ///< from column to column
    const void *b;
    int64_t b_step_k, b_step_n;
    const void *alpha, *beta; ///< one element each
    void *d;
    int64_t d_step;                      ///< from column to column
    bool conj_a = false, conj_b = false; ///< of complex ones
    /// Of skinny ones: whole lines of D past the cache where beta = 0; D is aligned to lines, and
    /// d_step a multiple of them.
    bool streams = false;
};

/// Columns of a tile of a small real product whose rows fit one register, of `n` columns where
/// other tiles have `nr`: all of them in one tile if they are few, for the sake of latency;
/// otherwise as many as FMAs are under way (two of four cycles each). With more, what tiles of a
/// series fetch does not fit the registers beside them.
constexpr int64_t columns_of_single_register(int64_t n, int64_t nr) noexcept {
    constexpr int64_t under_way = 8;
    return n <= 2 * nr ? 2 * nr : nr > under_way ? nr : under_way;
}

/// Tiles of two registers by six columns leave one of three registers over, whose few chains of
/// FMAs do not hide their latency. Tiles of three by four have as many accumulators.
constexpr bool has_higher_tiles(int64_t registers, int64_t columns) noexcept {
    return registers == 2 && columns == 6;
}
constexpr int64_t higher_tile_registers = 3;
constexpr int64_t higher_tile_columns = 4;

/// The largest tile of a small real product.
struct small_tile_size {
    int64_t registers; ///< of rows
    int64_t columns;
};

/// That of a product of `n` columns, whose rows fill so many registers, by a kernel whose tiles are
/// otherwise `usual`.
constexpr small_tile_size tiles_of_small(int64_t registers, int64_t n,
                                         small_tile_size usual) noexcept {
    if (registers == 1)
        return {1, columns_of_single_register(n, usual.columns)};
    if (registers == higher_tile_registers && has_higher_tiles(usual.registers, usual.columns))
        return {higher_tile_registers, higher_tile_columns};
    return usual;
}

/// Bytes of the matrices of a product up to which a series fetches it at once: L1 has room for them
/// besides what is in use. Of larger ones it fetches whole runs, line by line, and another D of up
/// to so many bytes at once.
constexpr int64_t fetched_at_once = 8 << 10;

/// Rows or columns of a matrix whose elements adjoin; in elements.
struct adjoining_runs {
    int64_t length, count;
    int64_t step; ///< from one run to the next
};

constexpr adjoining_runs runs_of_a(const small_product &p) noexcept { return {p.m, p.k, p.a_step}; }
/// Returns B's columns, or its rows; none if neither has adjoining elements.
constexpr adjoining_runs runs_of_b(const small_product &p) noexcept {
    return p.b_step_k == 1   ? adjoining_runs{p.k, p.n, p.b_step_n}
           : p.b_step_n == 1 ? adjoining_runs{p.n, p.k, p.b_step_k}
                             : adjoining_runs{0, 0, 0};
}
constexpr adjoining_runs runs_of_d(const small_product &p) noexcept { return {p.m, p.n, p.d_step}; }

/// Returns true if products fetch these runs of what follows. Runs whole pages apart share their
/// sets of L1: they would evict what is in use.
constexpr bool fetches_runs(const adjoining_runs &runs, int64_t element_size) noexcept {
    constexpr int64_t page = 4096;
    constexpr int64_t few = 4;
    return runs.count > 0 && (runs.step * element_size % page != 0 || runs.count <= few);
}

/// How many products ahead a series fetches if the matrices of one have so many bytes: as many as
/// arrive while memory answers.
constexpr int64_t products_ahead(int64_t bytes) noexcept {
    constexpr int64_t enough = 6 << 10;
    return bytes >= enough
               ? 1
               : static_cast<int64_t>(static_cast<uint32_t>(enough) / static_cast<uint32_t>(bytes));
}

/// `count` small products of one shape, count >= 0: from each to the next, A, B and D lie so many
/// elements further.
struct small_series {
    small_product first;
    int64_t count;
    int64_t a_next, b_next, d_next;
    bool fetches_a, fetches_b, fetches_d; ///< of what follows, because they are in no L2
    const void *later_beta;               ///< of all products but the first: one element
    /// The first product of a series like this one that is computed next; null: nothing follows.
    const void *a_after, *b_after, *d_after;
};

/// `count` products of one shape, D(m x n) = alpha A(m x k) B(k x n) + beta D, whose matrices are
/// interleaved: element (i, p) of the l-th A is a[i * a_step_m + p * a_step_k + l], B and D alike.
/// m, n, count >= 1, k >= 0; m and n fit 32 bits. D is not read when beta = 0. `following` products
/// are computed next, and are fetched meanwhile.
struct interleaved_products {
    int64_t m, n, k, count, following;
    const void *a;
    int64_t a_step_m, a_step_k;
    const void *b;
    int64_t b_step_k, b_step_n;
    void *d;
    int64_t d_step_m, d_step_n;
    const void *alpha, *beta; ///< one element each
    bool conj_a, conj_b;
};

/// D(m x n) = alpha sum_i A_i(m x k) B_i(k x n) + beta D, otherwise like small_product: matrix i
/// starts at a[i], and b_offset elements after b[i]. count >= 1.
struct reduced_product {
    small_product each; ///< its a and b are not used
    int64_t count;
    const void *const *a, *const *b;
    int64_t b_offset;
    /// a and b have so many more entries, of what is summed next. While a product is summed, the
    /// one so many places on is fetched: 0, or products_ahead() of what a tile reads.
    int64_t following = 0;
    bool fetches_a = false, fetches_b = false;
};

/// A product and where the next one, alike in extents and steps, has its operands: the last tiles
/// fetch what its first ones need. Null: nothing follows.
struct skinny_product {
    small_product now;
    /// Of tall ones: all tiles fetch the next A into L2, one column after the other. Hardware
    /// prefetches such a run, while it loses track of the columns that a tile reads side by side.
    bool fetches_columns = false;
    const void *next_a = nullptr;
    const void *next_b = nullptr;
    const void *next_d = nullptr;
    /// Of tall ones: what the steps before have summed, m x n and not scaled; null: nothing.
    /// D = alpha (sums + A B) + beta D.
    const void *sums = nullptr;
    int64_t sums_step = 0; ///< from column to column
};

/// Small products of any size along one extent, or parts of such: what follows along it is fetched.
struct skinny_kernels {
    void (*tall)(const skinny_product *); ///< m
    void (*wide)(const skinny_product *); ///< n
    void (*deep)(const skinny_product *); ///< k
};

/// Registers of the longest rows of real numbers that gemv_rows takes as short ones.
inline constexpr int short_row = 4;

struct micro_kernel {
    const char *name; ///< type_gemm_MRxNR__isa
    int mr, nr;
    int vector_length; ///< elements of one register
    void (*multiply)(const micro_tile *);
    void (*multiply_direct)(const micro_tile *); ///< null for complex types
    void (*multiply_small)(const small_product *);
    void (*multiply_series)(const small_series *); ///< in order: D may be the same for all
    void (*multiply_interleaved)(const interleaved_products *);
    skinny_kernels skinny;                             ///< null for complex types
    void (*multiply_reduced)(const reduced_product *); ///< null likewise
    void (*pack_a)(const panel_source *, void *panels);
    void (*pack_b)(const panel_source *, void *panels);
    void (*gemv_columns)(const matrix_vector *); ///< contiguous columns
    /// Contiguous rows, in groups of at most 16; of at most short_row registers, a register of sums
    /// at a time.
    void (*gemv_rows)(const matrix_vector *);
    /// d(m) = s x + beta d; all contiguous, d not read when beta = 0. If it `streams`, whole lines
    /// of d go past the cache then.
    void (*axpby)(int64_t m, const void *s, const void *x, bool conj_x, const void *beta, void *d,
                  bool streams);
    void (*fill_columns)(const adjoining_columns *); ///< null for complex types
    /// As multiply; prefetches what follows between the steps of k, and stores the tile before in
    /// place of this one, which it leaves in `delayed`. Null where nothing gains by it.
    void (*multiply_fetching)(const micro_tile *);
    void (*store_delayed)(delayed_tile *); ///< stores the last one; null where none is delayed
};

/// A product whose inputs are narrower than its output. Micro-panels are made of words of 4 bytes;
/// a word holds `group` steps of one row, the last one zeros past k.
struct mixed_kernel {
    const char *name; ///< type_way_MRxNR__isa
    int mr, nr;
    int vector_length; ///< words of one register
    int group;
    int tail; ///< words for each row past a micro-panel's last step; pack_b fills them
    /// As in micro_kernel, D of f32 or int32. Null: words are f32 numbers, the micro-kernel is that
    /// of f32, whose tile this is.
    void (*multiply)(const micro_tile *);
    void (*pack_a)(const panel_source *, void *panels);
    void (*pack_b)(const panel_source *, void *panels);
};

/// The elements that a kernel replaces by functions of themselves: columns of m adjacent elements.
struct element_tile {
    int64_t m, n;
    void *d;
    int64_t column_stride;
};

/// A matrix of the tile's size, strides of any sign and zero: a vector is a matrix that has one.
struct tile_operand {
    const void *x;
    int64_t row_stride, column_stride;
    const void *factor; ///< one element
};

/// In the order of tenfold::elementwise.
constexpr int element_function_count = 6;

/// Of one real type. What becomes of an element depends on its value alone, never on its place.
struct element_kernels {
    /// Of i32, whose arithmetic is modulo 2^32, null but for relu.
    void (*functions[element_function_count])(const element_tile *);
    void (*scale)(const element_tile *, const void *factor);
    void (*add)(const element_tile *, const tile_operand *);      ///< d += factor x
    void (*multiply)(const element_tile *, const tile_operand *); ///< d *= factor x
};

/// Of a type whose arithmetic is in f32: adjacent elements there and back, rounded as the type
/// rounds (<tenfold/types.hpp>), whatever the processor's modes are.
struct stored_elements {
    void (*widen)(int64_t count, const void *stored, float *to);
    void (*round)(int64_t count, const float *from, void *stored);
};

struct element_kernel_set {
    const char *name; ///< functions__isa
    element_kernels f32, f64, i32;
    stored_elements bf16, f16;
};

} // namespace tenfold::gemm_impl
