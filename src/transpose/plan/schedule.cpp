#include "transpose/plan/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/traffic.hpp"
#include "transpose/plan/panel.hpp"
#include "transpose/plan/prefetching.hpp"

namespace tenfold::transpose_impl {
namespace {

/// Numbers from docs/adr/0003.
constexpr index_t long_reads = 4 << 10;  ///< bytes of A after which a jump does not matter
constexpr index_t block_row = 512;       ///< bytes of B's rows that are written together
constexpr index_t least_block_row = 256; ///< the same if runs are short

/// Removes the mode at `position` from the problem and returns it.
mode take(std::vector<mode> &modes, std::size_t position) {
    mode taken = std::move(modes[position]);
    modes.erase(modes.begin() + static_cast<std::ptrdiff_t>(position));
    return taken;
}

bool contiguous(index_t stride) noexcept { return stride == 1 || stride == -1; }

/// B's fastest mode and A's, removed from the problem's modes.
struct sides {
    mode along{1, 1, 1, {}};
    mode across{1, 0, 0, {}};
};

sides take_sides(reduced_problem &problem, method how) {
    std::vector<mode> &modes = problem.modes;
    sides taken;
    if (modes.empty())
        return taken;
    taken.along = take(modes, 0); // smallest stride in B
    if (how == method::rows || modes.empty())
        return taken;
    // A mode of stride 0 cannot fill a register.
    const auto rank = [&](const mode &one) {
        return how == method::tiles && one.stride_a == 0 ? 2 : std::abs(one.stride_a);
    };
    const auto closest =
        std::min_element(modes.begin(), modes.end(), [&](const mode &one, const mode &other) {
            return rank(one) < rank(other);
        });
    taken.across = take(modes, static_cast<std::size_t>(closest - modes.begin()));
    if (how == method::tiles && taken.across.stride_a == -1)
        mirror(taken.across, problem);
    return taken;
}

bool whole_lines(index_t stride) noexcept { return stride % line == 0; }

/// Returns true if runs are short and each begins where the run of the previous row ends.
bool runs_follow(const schedule &plan) noexcept {
    const index_t run_bytes = plan.run_extent * plan.size_b;
    return plan.rows.size() == 1 && plan.row_extent > 1 && run_bytes < longest_joined(plan) &&
           plan.rows.front().stride_b == run_bytes;
}

/// Returns true if blocks would fill little of a register and are contiguous in B; then it is
/// better to write B element by element.
bool small_blocks(const schedule &plan) noexcept {
    return plan.row_extent > 1 && plan.row_extent * plan.run_extent < plan.width &&
           runs_follow(plan);
}

/// Returns how many columns, or rows that are copied, a strip needs so that it reads A in long
/// runs: enough that the mode of the run with the smallest step in A covers some distance. `first`
/// is the fastest of the run's modes that counts.
index_t near_columns(const std::vector<walked_mode> &run, std::size_t first) noexcept {
    constexpr static index_t least_step = 16; // bytes; a repeated tensor has steps of 0
    constexpr index_t stretch = 16 * line;    // at each of several places
    const auto step = [](const walked_mode &one) {
        return std::max(least_step, std::abs(one.stride_a));
    };
    index_t inner = 1;
    index_t best = 0;
    index_t smallest = stretch;
    for (std::size_t k = first; k < run.size() && inner <= most_columns; ++k) {
        if (step(run[k]) < smallest) {
            smallest = step(run[k]);
            const index_t here = k == first ? long_reads / smallest
                                            : inner * std::min(run[k].extent, stretch / smallest);
            best = std::max(best, here);
        }
        inner *= run[k].extent;
    }
    return best;
}

/// Returns how many tiles of a strip go through a buffer, so that A's columns and B's rows are read
/// and written in runs of several lines; 0 for none. A buffer pays if B's rows lie in the same bank
/// and registers are shorter than lines, and if B's rows are read too and lie in the same set of
/// the L2 cache, which cannot hold those that are prefetched then.
index_t choose_block(const schedule &plan, const base::machine &machine,
                     const kernel_shape &kernels, const schedule_options &options) noexcept {
    constexpr index_t wanted_rows = 128;
    if (plan.how != method::tiles || !kernels.joins)
        return 0;
    if (options.block > 0 || (options.block == 0 && !kernels.buffers))
        return options.block;
    const bool wanted = plan.accumulates
                            ? rows_apart_by(plan, way_of(machine.l2))
                            : rows_apart_by(plan, bank) && writes_half_lines(plan, kernels.width);
    const bool gains = wanted && !fits_l2(plan, machine);
    return gains || kernels.buffers ? ceiling_of(wanted_rows, kernels.width) : 0;
}

index_t choose_strip(const schedule &plan, const base::machine &machine,
                     const schedule_options &options) noexcept {
    const index_t per_line = std::max<index_t>(1, line / plan.size_b);
    if (plan.how == method::rows) {
        const index_t row = row_bytes(plan) / plan.size_b;
        index_t rows = rows_per_visit(plan);
        // While a strip moves, the next one is fetched, and all of the next visits. If these are
        // few the strip is long, so that enough is under way.
        if (copies_to_few_places(plan))
            rows = prefetched_bytes / 2 / (tiles_of(plan) * row_bytes(plan));
        // Short rows that are close together in A form one stream.
        if (row * plan.size_a < short_row)
            rows = std::max(rows, near_columns(plan.run, 1));
        const index_t wanted = options.strip > 0 ? options.strip : row * rows;
        // The pieces are whole rows, and parts of rows at both ends.
        return std::clamp<index_t>(wanted, std::min(per_line, plan.run_extent),
                                   std::max(per_line, (most_columns - 2) * row));
    }
    // If lines of B lie in few channels, make fewer visits with more lines each.
    index_t lines = rows_apart_by(plan, channels) ? 2 : 1;
    if (plan.accumulates)
        lines = choose_prefetch_level(plan, machine, options) == 2 ? 2
                : rows_apart_by(plan, bank)                        ? 4
                                                                   : 1;
    if (plan.block > 0)
        lines = block_row / line;
    const index_t wanted =
        options.strip > 0 ? options.strip : std::max(lines * per_line, streams / 2);
    // Kernels that write past the cache need whole lines and registers.
    const index_t grain = std::max(per_line, plan.width);
    // With few tiles per panel, calls would take most of the time. Columns that are close together
    // share lines of A.
    constexpr index_t blocks_per_call = 16;
    const index_t few = blocks_per_call / tiles_of(plan) * plan.width;
    const index_t near = near_columns(plan.run, 0);
    const index_t together = options.strip > 0 ? 0 : std::max(few, near < streams / 2 ? 0 : near);
    return std::clamp(ceiling_of(std::max(wanted, together), grain) * grain, grain,
                      most_columns / grain * grain);
}

/// Orders the loops around panels: small steps in B are inside, so that pages of B are completed
/// while the TLB holds them.
void order_loops(schedule &plan, std::vector<walked_mode> rest, int threads) {
    using over = panel_loop::over;
    for (walked_mode &one : rest) {
        const index_t extent = one.extent;
        plan.loops.push_back({over::mode, std::move(one), extent});
    }
    const auto add_pieces = [&](const walked_mode &whole, index_t piece, over what) {
        if (piece < whole.extent)
            plan.loops.push_back(
                {what,
                 {whole.extent, whole.stride_a * piece, whole.stride_b * piece, whole.members},
                 ceiling_of(whole.extent, piece)});
    };
    add_pieces(plan.rows.front(), plan.row_piece, over::rows);
    if (!plan.panel.empty())
        add_pieces(plan.panel.back(), plan.panel_piece, over::panel);
    const auto steps_further = [](const panel_loop &one, const panel_loop &other) {
        return std::abs(one.mode.stride_b) > std::abs(other.mode.stride_b);
    };
    // A stable sort by insertion; std::stable_sort() would allocate.
    for (auto next = plan.loops.begin(); next != plan.loops.end(); ++next)
        std::rotate(std::upper_bound(plan.loops.begin(), next, *next, steps_further), next,
                    next + 1);

    // Make enough pieces that the shares of the threads differ by at most an eighth.
    plan.run_piece = plan.run_extent;
    constexpr index_t per_thread = 8;
    const index_t units = plan.units();
    if (threads > 1 && !plan.joins && units < threads * per_thread) {
        const index_t wanted = ceiling_of(threads * per_thread, units);
        const index_t strips = std::max<index_t>(1, plan.run_extent / (wanted * plan.strip));
        plan.run_piece = std::min(plan.run_extent, strips * plan.strip);
    }
    // One piece more: pieces are cut at cache lines, so the first one may be shorter.
    const index_t pieces = ceiling_of(plan.run_extent, plan.run_piece);
    if (pieces > 1)
        plan.loops.push_back({over::run, {}, pieces + 1});
}

constexpr index_t worth_a_thread = 128 << 10; // about 10 us of copying, the cost of a fork

int threads_for(double bytes_b, index_t grain, int most) noexcept {
    if (grain == 0)
        return most;
    const double useful = std::floor(bytes_b / static_cast<double>(grain));
    return static_cast<int>(std::clamp(useful, 1.0, static_cast<double>(most)));
}

} // namespace

int worthwhile_threads(double bytes_b, int most) noexcept {
    return threads_for(bytes_b, worth_a_thread, most);
}

double speed_of_runs(index_t bytes) noexcept {
    // Zen 4, f64, 9 to 140 columns of 300,000 elements: 0.4 to 0.7 of what columns of whole lines
    // reach, and 0.75 from 1 KiB on.
    constexpr double short_runs = 0.5;
    constexpr double long_runs = 0.75;
    return bytes % line == 0 ? 1 : bytes < wanted_run ? short_runs : long_runs;
}

const char *name(method how) noexcept {
    switch (how) {
    case method::rows:
        return "rows";
    case method::tiles:
        return "tiles";
    case method::elements:
        return "elements";
    }
    return "";
}

method choose_method(const reduced_problem &problem) {
    const std::vector<mode> &modes = problem.modes; // B's fastest first
    if (modes.empty() || (modes.front().stride_b == 1 && modes.front().stride_a == 1))
        return method::rows;
    const bool transposes = modes.front().stride_b == 1 &&
                            std::any_of(modes.begin() + 1, modes.end(),
                                        [](const mode &one) { return contiguous(one.stride_a); });
    return transposes ? method::tiles : method::elements;
}

schedule make_schedule(reduced_problem problem, const movement &how, const base::machine &machine,
                       const kernel_shape &kernels, const schedule_options &options) {
    schedule plan;
    plan.accumulates = how.accumulates;
    const index_t size_a = plan.size_a = size_of(how.type_a);
    const index_t size_b = plan.size_b = size_of(how.type_b);
    if (problem.empty)
        return plan;

    plan.how = choose_method(problem);
    sides chosen = take_sides(problem, plan.how);
    const auto in_bytes = [&](mode &one) {
        return walked_mode{one.extent, one.stride_a * size_a, one.stride_b * size_b,
                           std::move(one.members)};
    };
    plan.first_a = problem.offset_a * size_a;
    plan.first_b = problem.offset_b * size_b;
    plan.width = plan.how == method::rows ? 1 : kernels.width;
    plan.rows.push_back(in_bytes(chosen.across));
    plan.row_extent = plan.rows.front().extent;
    plan.run.push_back(in_bytes(chosen.along));
    plan.run_extent = plan.run.front().extent;
    plan.elements = plan.row_extent * plan.run_extent;
    std::vector<walked_mode> rest;
    for (mode &one : problem.modes) {
        plan.elements *= one.extent;
        rest.push_back(in_bytes(one));
    }

    if (plan.how == method::tiles && small_blocks(plan)) {
        rest.push_back(std::move(plan.rows.front()));
        plan.rows.front() = {1, size_a, 0, {}};
        plan.row_extent = 1;
    }

    const index_t bytes_b = plan.elements * size_b;
    const bool aligned = whole_lines(plan.rows.front().stride_b) &&
                         std::all_of(rest.begin(), rest.end(), [](const walked_mode &one) {
                             return whole_lines(one.stride_b);
                         });
    const index_t share = aligned && writes_half_lines(plan, kernels.width) ? 2 : 1;
    const index_t threshold = options.stream_threshold >= 0
                                  ? options.stream_threshold
                                  : base::least_past_caches(machine) / share;
    const bool large = plan.how != method::elements && !how.accumulates && bytes_b >= threshold;
    plan.stream = large;
    plan.block = choose_block(plan, machine, kernels, options);
    if (!how.accumulates && !(large && aligned) && !kernels.buffers)
        plan.block = 0; // lines wait until they are complete
    rest = build_panel(plan, std::move(rest), machine, options,
                       large && kernels.carries && plan.how == method::tiles && !aligned &&
                           !(kernels.joins && runs_follow(plan)));

    plan.lines_of_b = true;
    for (const std::vector<walked_mode> *modes : {&plan.rows, &plan.panel, &rest})
        for (const walked_mode &one : *modes)
            plan.lines_of_b = plan.lines_of_b && whole_lines(one.stride_b);
    plan.joins = plan.how == method::tiles && kernels.joins && runs_follow(plan) &&
                 plan.run_extent <= most_columns;
    // A run shorter than a line never writes a whole line. If a run has one whole line between two
    // partial ones, writing it past the cache costs more than it saves, unless the lines are joined
    // and a register is a line.
    const bool cuts_lines = plan.how == method::tiles && !plan.lines_of_b &&
                            !(plan.joins && !writes_half_lines(plan, plan.width));
    plan.stream = large && plan.run_extent * size_b >= (cuts_lines ? 2 * line : line);
    if (plan.joins || (plan.run_extent * size_b < least_block_row && !kernels.buffers))
        plan.block = 0;
    plan.strip = choose_strip(plan, machine, options);
    // The buffer for incomplete lines has a bounded size.
    if (plan.how == method::tiles && kernels.carries && !plan.lines_of_b && !plan.joins &&
        tiles_of(plan) * plan.width > most_carried)
        plan.stream = false;
    choose_prefetching(plan, machine, options);

    const index_t grain = options.bytes_per_thread >= 0 ? options.bytes_per_thread : worth_a_thread;
    plan.threads = threads_for(static_cast<double>(bytes_b), grain, how.threads);
    order_loops(plan, std::move(rest), plan.threads);
    return plan;
}

} // namespace tenfold::transpose_impl
