#include "transpose/schedule.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/checked.hpp"

namespace tenfold::transpose_impl {
namespace {

constexpr index_t line = 64;

/// Takes the mode at `position` out of the problem.
mode take(std::vector<mode> &modes, std::size_t position) {
    mode taken = std::move(modes[position]);
    modes.erase(modes.begin() + static_cast<std::ptrdiff_t>(position));
    return taken;
}

/// The two sides of the tile, taken out of the problem's modes.
struct sides {
    method how;
    mode along;
    mode across;
};

sides choose_sides(reduced_problem &problem) {
    std::vector<mode> &modes = problem.modes;
    sides chosen{method::rows, {1, 1, 1, {}}, {1, 0, 0, {}}};
    if (modes.empty())
        return chosen;

    chosen.along = take(modes, 0); // smallest stride in B
    if (chosen.along.stride_b == 1 && chosen.along.stride_a == 1) {
        if (!modes.empty())
            chosen.across = take(modes, 0);
        return chosen;
    }
    const auto contiguous = std::find_if(modes.begin(), modes.end(), [](const mode &one) {
        return one.stride_a == 1 || one.stride_a == -1;
    });
    if (chosen.along.stride_b == 1 && contiguous != modes.end()) {
        chosen.how = method::tiles;
        chosen.across = take(modes, static_cast<std::size_t>(contiguous - modes.begin()));
        if (chosen.across.stride_a == -1)
            mirror(chosen.across, problem);
        return chosen;
    }
    chosen.how = method::elements;
    const auto closest =
        std::min_element(modes.begin(), modes.end(), [](const mode &one, const mode &other) {
            return std::abs(one.stride_a) < std::abs(other.stride_a);
        });
    if (closest != modes.end())
        chosen.across = take(modes, static_cast<std::size_t>(closest - modes.begin()));
    return chosen;
}

tile_side side_of(const mode &one, index_t size_a, index_t size_b) {
    return {one.extent, one.stride_a * size_a, one.stride_b * size_b, one.extent, false,
            one.members};
}

/// Sizes of the tile: rows of B of at least a few cache lines, so that memory sees bursts, and as
/// many lines of A beside each other as the buffer still holds (docs/adr/0003).
void choose_tile(schedule &plan, index_t size_a, index_t size_b, const schedule_options &options) {
    if (plan.how == method::elements) {
        constexpr index_t block = 32; // both tensors' lines of a block stay in the L1 cache
        plan.along.step = std::min(plan.along.extent, block);
        plan.across.step = std::min(plan.across.extent, block);
        return;
    }
    if (plan.how == method::rows) {
        constexpr index_t chunk = 32 << 10; // enough to forget the loop, little enough to share
        const index_t along = options.along_bytes > 0 ? options.along_bytes : chunk;
        plan.along.step = std::clamp<index_t>(along / size_b, 1, plan.along.extent);
        plan.across.step =
            std::clamp<index_t>(chunk / (plan.along.step * size_b), 1, plan.across.extent);
        return;
    }
    const index_t element = std::max(size_a, size_b);
    const index_t along = options.along_bytes > 0 ? options.along_bytes : 512;
    const index_t across = options.across_bytes > 0 ? options.across_bytes : 128;
    plan.along.step = std::clamp<index_t>(along / element, 1, plan.along.extent);
    const index_t most = buffer_bytes / buffer_pitch(plan.along.step * size_a);
    const index_t fill = along * across / (plan.along.step * element);
    index_t across_step = std::clamp<index_t>(fill / element, 1, most);
    if (const index_t per_line = line / size_a; across_step > per_line)
        across_step -= across_step % per_line;
    plan.across.step = std::min(plan.across.extent, across_step);
}

bool whole_lines(index_t stride) noexcept { return stride % line == 0; }

/// Loops with small steps in B or in A go inside, so that neighbouring tiles share pages, DRAM rows
/// and prefetch streams. Writes count more than reads: a line of B that is written in two pieces
/// far apart is read and written twice.
index_t cost_of_step(index_t step_a, index_t step_b, schedule_options::order order) noexcept {
    const index_t a = std::abs(step_a);
    const index_t b = std::abs(step_b);
    switch (order) {
    case schedule_options::order::by_b:
        return b;
    case schedule_options::order::by_a:
        return a;
    case schedule_options::order::balanced:
        break;
    }
    constexpr index_t writes_over_reads = 4;
    return a == 0 || b / writes_over_reads < a ? b : a * writes_over_reads;
}

void order_loops(schedule &plan, std::vector<mode> rest, index_t size_a, index_t size_b,
                 schedule_options::order order) {
    using walk = tile_loop::walk;
    for (mode &one : rest)
        plan.loops.push_back({walk::mode, one.extent, one.stride_a * size_a, one.stride_b * size_b,
                              std::move(one.members)});
    const auto add_side = [&](const tile_side &side, walk what) {
        if (side.tiles(side.cut_at_lines ? line : 0) > 1)
            plan.loops.push_back({what, side.extent, side.stride_a, side.stride_b, side.members});
    };
    add_side(plan.along, walk::along);
    add_side(plan.across, walk::across);

    const auto key = [&](const tile_loop &loop) {
        const index_t step = loop.what == walk::mode    ? 1
                             : loop.what == walk::along ? plan.along.step
                                                        : plan.across.step;
        return cost_of_step(loop.stride_a * step, loop.stride_b * step, order);
    };
    std::stable_sort(
        plan.loops.begin(), plan.loops.end(),
        [&](const tile_loop &one, const tile_loop &other) { return key(one) > key(other); });
}

} // namespace

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

schedule make_schedule(reduced_problem problem, data_type type_a, data_type type_b, int threads,
                       const base::machine &machine, const schedule_options &options) {
    schedule plan;
    const index_t size_a = plan.size_a = size_of(type_a);
    const index_t size_b = plan.size_b = size_of(type_b);
    if (problem.empty)
        return plan;

    const sides chosen = choose_sides(problem);
    plan.how = chosen.how;
    plan.along = side_of(chosen.along, size_a, size_b);
    plan.across = side_of(chosen.across, size_a, size_b);
    plan.first_a = problem.offset_a * size_a;
    plan.first_b = problem.offset_b * size_b;
    plan.elements = plan.along.extent * plan.across.extent;
    for (const mode &one : problem.modes)
        plan.elements *= one.extent;

    choose_tile(plan, size_a, size_b, options);
    if (plan.how != method::elements) {
        plan.along.cut_at_lines = whole_lines(plan.across.stride_b);
        plan.across.cut_at_lines = plan.how == method::tiles && whole_lines(plan.along.stride_a);
        for (const mode &one : problem.modes) {
            plan.along.cut_at_lines &= whole_lines(one.stride_b * size_b);
            plan.across.cut_at_lines &= whole_lines(one.stride_a * size_a);
        }
        plan.along.cut_at_lines &=
            plan.along.step < plan.along.extent && whole_lines(plan.along.step * size_b);
        plan.across.cut_at_lines &=
            plan.across.step < plan.across.extent && whole_lines(plan.across.step * size_a);
    }
    order_loops(plan, std::move(problem.modes), size_a, size_b, options.loops);

    const index_t bytes_b = plan.elements * size_b;
    const index_t last_cache = machine.l3.size > 0 ? machine.l3.size : 4 * machine.l2.size;
    const index_t threshold =
        options.stream_threshold >= 0 ? options.stream_threshold : last_cache / 2;
    // A row shorter than a line never writes a whole one.
    plan.stream =
        plan.how != method::elements && bytes_b >= threshold && plan.along.extent * size_b >= line;

    constexpr index_t worth_a_thread = 128 << 10; // ~10 us of copying, a fork's cost
    const index_t grain = options.bytes_per_thread >= 0 ? options.bytes_per_thread : worth_a_thread;
    const index_t useful = grain == 0 ? threads : std::max<index_t>(1, bytes_b / grain);
    plan.threads = static_cast<int>(std::min<index_t>(threads, useful));
    return plan;
}

} // namespace tenfold::transpose_impl
