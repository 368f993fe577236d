// Prices of small products.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/checked.hpp"
#include "base/traffic.hpp"
#include "gemm/plan/first_lines.hpp"
#include "gemm/plan/plan.hpp"

namespace tenfold::gemm_impl {
namespace {

using base::divide_up;

/// Cycles of a small product beside its multiply-adds: the first ones' latency and the calls of its
/// tiles, which products that follow one another hide in part; and an element of a copy of A.
constexpr double small_tile = 20;
constexpr double small_tile_in_series = 8;
constexpr double copied_for_small = 2;
/// Cycles of a copy of A's rows: a panel of them, a row and an element of it.
struct copy_of_rows {
    double panel, row, element;
};
/// In registers of AVX2 and AVX-512, measured with 3 to 12 steps on an Emerald Rapids.
constexpr copy_of_rows transposed_rows{25, 2.5, 0.35};
/// Element by element, as complex ones are, or in registers of two or four of them.
constexpr copy_of_rows gathered_rows{0, 12, 0.75};
/// Cycles beyond an update's for a register of D in part that is loaded again while stores to D
/// still wait in the core's buffer: masked ones are not forwarded. With AVX2 each register of such
/// a D takes as long, however large it is.
constexpr double wait_for_part = 21;
constexpr double waiting_stores = 64; ///< at most, on Zen 4 and Zen 5; 72 on Golden Cove
/// Cycles that AVX2 takes beside AVX-512 for a register in part: a masked load of A is two
/// instructions in the core, and D's is stored in halves. Zen 4.
constexpr double loaded_part = 0.6;
constexpr double stored_part = 4;

/// The factor by which rows or columns that are fetched one by one, between tiles, take longer than
/// one run: they begin and end inside lines. 0.8 to 1.9 in eleven products on an Emerald Rapids.
constexpr double fetched_by_runs = 1.6;
/// Runs side by side that a core follows at most: 32 in the L2 of Intel's (Optimization Reference
/// Manual, "Data Prefetching").
constexpr double followed_runs = 32;

/// One mode of a part of a matrix; the stride in bytes.
struct part_mode {
    double extent, stride;
};

/// Cache lines that a part of a matrix touches. Runs that lie whole lines apart are taken to begin
/// on one, others begin anywhere.
double lines_of(part_mode inner, part_mode outer, double element, double line) noexcept {
    if (inner.stride > outer.stride)
        std::swap(inner, outer);
    if (inner.stride >= line)
        return inner.extent * outer.extent;
    const auto touched = [&](double bytes) { return 1 + (bytes - element) / line; };
    const double run = (inner.extent - 1) * inner.stride + element;
    const bool aligned = outer.stride > 0 && std::fmod(outer.stride, line) == 0;
    const double apart = outer.extent * (aligned ? std::ceil(run / line) : touched(run));
    return std::min(apart, touched((outer.extent - 1) * outer.stride + run));
}

} // namespace

double gemm_plan::small_product_seconds(const gemm_plan_options &options, const tensor_sizes &whole,
                                        const matrix_seconds &each) const noexcept {
    const base::machine &machine = *options.machine;
    const base::machine_rates &rates = *options.rates;
    const gemm_shape &s = shape_;
    const base::traffic moves(machine, rates, size_of(s.type));
    const auto [a, b, d, far] = each;
    const double computing = small_seconds(machine, rates, whole.series, whole.sums);
    const double bytes =
        moves.element() * (real(s.m) * real(s.k) + real(s.k) * real(s.n) + real(s.m) * real(s.n));
    const bool waits = small_.fetches() && bytes > real(fetched_at_once);
    const bool sums = small_.fetches() && small_.summed_at_once > 1 && whole.sums;
    // Each large product, and each term, fetches what the next one reads, also where that is no
    // single run.
    const bool in_turn = (whole.series && waits) || sums;
    const bool a_by_runs = in_turn && small_.fetches_runs_of_a();
    const bool b_by_runs = in_turn && small_.fetches_runs_of_b();
    const bool a_is_run = is_one_run(matrix_a(s, whole));
    const bool b_is_run = is_one_run(matrix_b(s, whole));
    // Copies read rows of several lines, which hardware follows.
    const bool follows = small_.copies && s.column_stride_a == 1 &&
                         real(s.k) * moves.element() >= 2 * before_prefetch * moves.line();
    // What is copied, A, is not fetched and hides behind nothing; nor do B's steps where
    // neither products fetch nor hardware follows them.
    const bool a_alone = waits && small_.copies;
    const bool b_alone = waits && small_.copies && !b_by_runs && s.n > 1 &&
                         std::abs(real(s.row_stride_b)) * moves.element() >= least_far(machine);
    // Sums in registers read one tile of all their products after the other: of a run a part,
    // or parts where the tile's rows or columns cut those that lie after one another.
    const bool cuts_a = sums && s.m > kernel_->mr && s.row_stride_a == 1;
    const bool cuts_b = sums && s.n > kernel_->nr && s.row_stride_b != 1;
    // From memory, rows or columns that go on where those of the product before end are long
    // runs, if hardware can follow all that a core reads side by side; also where tiles cut them:
    // the first tile's lines bring the others'.
    const auto runs_of = [](bool fetched, const placed_matrix &x) {
        return fetched ? real(matrix_runs(x).count) : 0;
    };
    const bool followed = runs_of(a_by_runs && !a_is_run, matrix_a(s, whole)) +
                              runs_of(b_by_runs && !b_is_run, matrix_b(s, whole)) <=
                          followed_runs;
    const auto share_anew = [&](bool by_runs, double elements, double anew) {
        return by_runs && followed && moves.from_memory(elements, threads_) ? anew : 1;
    };
    const double anew_a = share_anew(a_by_runs, whole.a, whole.anew_a);
    const double anew_b = share_anew(b_by_runs, whole.b, whole.anew_b);
    const double firsts = anew_a * first_line_seconds(matrix_a(s, whole), machine, moves) +
                          anew_b * first_line_seconds(matrix_b(s, whole), machine, moves) +
                          (small_.fetches() && !small_.copies ? 0 : far);
    const bool a_in_parts = !a_is_run || cuts_a;
    const bool b_in_parts = !b_is_run || cuts_b;
    const bool a_waits = ((waits && small_.fetches_a && !follows) || sums) && a_in_parts;
    const bool b_waits = ((waits && small_.fetches_b) || sums) && b_in_parts;
    const auto slower = [](bool in_parts, bool by_runs, double anew, bool waiting) {
        return in_parts && by_runs ? 1 + anew * (fetched_by_runs - 1) : waiting ? unfetched : 1;
    };
    const double of_a = slower(a_in_parts, a_by_runs, anew_a, a_waits) * a;
    const double of_b = slower(b_in_parts, b_by_runs, anew_b, b_waits || b_alone) * b;
    // A tile reads a line of each of A's columns in turn. Where nothing fetches them,
    // multiply-adds fill the core's window before it sees many of them.
    const double side_by_side =
        small_.copies ? 0
                      : side_by_side_seconds(matrix_a(s, whole), s.k, a_by_runs, machine, moves);
    const double alone = (a_alone ? of_a : 0) + (b_alone ? of_b : 0) + side_by_side;
    const double moving = (a_alone ? 0 : of_a) + (b_alone ? 0 : of_b) + d + firsts;
    const double seconds = (whole.series ? 0 : rates.call + rates.fork_join(threads_)) +
                           std::max(computing, moving) + not_hidden * std::min(computing, moving) +
                           alone;
    // Fetching far ahead hides how long a line takes, but no more of them arrive in a second.
    return std::max(seconds, a + b + d + far);
}

double gemm_plan::small_rereading_seconds(const base::machine &machine,
                                          const base::machine_rates &rates, index_t row_tiles,
                                          index_t column_tiles) const noexcept {
    const gemm_shape &s = shape_;
    const auto element = static_cast<double>(size_of(s.type));
    const auto line = static_cast<double>(machine.l1d.line);
    const auto mode = [&](double extent, index_t stride) {
        return part_mode{extent, extent > 1 ? std::abs(real(stride)) * element : 0};
    };
    const double rows = real(s.m) / real(row_tiles);
    const double columns = real(s.n) / real(column_tiles);
    const auto of_a = [&](double height) {
        return small_.copies ? lines_of({height, element}, {real(s.k), real(kernel_->mr) * element},
                                        element, line)
                             : lines_of(mode(height, s.row_stride_a),
                                        mode(real(s.k), s.column_stride_a), element, line);
    };
    const auto of_b = [&](double width) {
        return lines_of(mode(real(s.k), s.row_stride_b), mode(width, s.column_stride_b), element,
                        line);
    };
    const double room = real(machine.l1d.size) / line;
    const double tile_a = of_a(rows);
    const double tile_b = of_b(columns);
    const base::traffic moves(machine, rates, size_of(s.type));
    // Half of L2 is left to what passes.
    const double footprint = 2 * (real(s.m) + real(s.n)) * real(s.k) * element;
    const double bandwidth = moves.bandwidth(footprint, rates.reading(1), 1);
    if (tile_a + tile_b > room)
        return real(row_tiles * column_tiles) * (tile_a + tile_b) * line / bandwidth;
    // One column of tiles after the other reads all of A; copies are multiplied by all columns.
    const double all_a = small_.copies ? tile_a : of_a(real(s.m));
    if (all_a + tile_b > room)
        return (real(column_tiles) * all_a + of_b(real(s.n))) * line / bandwidth;
    return 0;
}

double gemm_plan::small_copy_cycles() const noexcept {
    constexpr index_t long_register = 32; // bytes
    const gemm_shape &s = shape_;
    const micro_kernel &kernel = *kernel_->kernel;
    if (s.column_stride_a != 1)
        return real(s.m) * real(s.k) * copied_for_small;
    const bool transposes =
        !is_complex(s.type) && kernel.vector_length * size_of(s.type) >= long_register;
    const auto &[panel, row, element] = transposes ? transposed_rows : gathered_rows;
    return real(divide_up(s.m, kernel.mr)) * panel + real(s.m) * (row + real(s.k) * element);
}

double gemm_plan::small_seconds(const base::machine &machine, const base::machine_rates &rates,
                                bool in_series, bool adds) const noexcept {
    constexpr double fma_latency = 4; // cycles, on all these processors
    const gemm_shape &s = shape_;
    const micro_kernel &kernel = *kernel_->kernel;
    const bool complex = is_complex(s.type);
    const index_t length = kernel.vector_length;
    const index_t vectors = divide_up(complex ? 2 * s.m : s.m, length);
    const small_tile_size usual = {std::max<index_t>(1, kernel.mr / length), kernel.nr};
    const small_tile_size tile =
        complex && vectors > 1 ? usual : tiles_of_small(vectors, s.n, usual);
    const index_t row_tiles = divide_up(vectors, tile.registers);
    const index_t column_tiles = divide_up(s.n, tile.columns);
    const double tiles = real(row_tiles) * real(column_tiles);
    const double outputs = real(vectors) * real(s.n); // registers
    const bool masks_in_avx512 = length * size_of(real_type_of(s.type)) >= machine.l1d.line;
    const bool in_part = (complex ? 2 * s.m : s.m) % length != 0;
    const bool halves = s.m > 1 && in_part && !masks_in_avx512;
    const double step =
        outputs * (complex ? 2 : 1) / (rates.fmas_per_cycle * rates.kernel_efficiency) +
        (halves && !small_.copies ? real(column_tiles) * loaded_part : 0);
    const double at_once = adds ? real(small_.summed_at_once) : 1;
    const bool waits_for_parts =
        adds && at_once <= 1 && in_part && (!masks_in_avx512 || outputs <= waiting_stores);
    const double waiting = masks_in_avx512 ? real(s.n) : outputs; // registers
    const double updates = outputs * update * cycles_of_register(rates) / at_once +
                           (halves ? real(s.n) * stored_part / at_once : 0) +
                           (waits_for_parts ? waiting * wait_for_part : 0);
    // Multiply-adds of a tile wait for those of the step before; other products' hide that, but
    // sums in registers go through all of them tile by tile.
    const bool overlaps = in_series && at_once <= 1;
    const double cycles = real(s.k) * (overlaps ? step : std::max(step, tiles * fma_latency)) +
                          tiles * (in_series ? small_tile_in_series : small_tile) + updates +
                          (small_.copies ? small_copy_cycles() : 0);
    return std::max(cycles * seconds_of_cycle(s.type, length, rates),
                    small_rereading_seconds(machine, rates, row_tiles, column_tiles));
}

} // namespace tenfold::gemm_impl
