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

bool whole_lines(index_t stride) noexcept { return stride % line == 0; }

/// extent cut into equal steps of whole lines (of elements of `size` bytes) near `wanted` elements.
index_t even_step(index_t extent, index_t wanted, index_t size) noexcept {
    const index_t pieces =
        std::max<index_t>(1, (extent + wanted / 2) / std::max<index_t>(1, wanted));
    if (pieces == 1)
        return extent;
    const index_t per_line = line / size;
    return std::min(extent, std::max(extent / pieces / per_line, index_t{1}) * per_line);
}

/// Figures from docs/adr/0003: a tile, the next one on its way and its buffer share the L1 cache.
struct tile_shape {
    index_t bytes;       ///< of the tile
    index_t whole_along; ///< bytes of B's mode that are kept in one piece
    index_t along;       ///< bytes per row otherwise
};
constexpr tile_shape streamed_tile{8 << 10, 512, 256};
constexpr tile_shape buffered_tile{16 << 10, 1024, 512};

void choose_tile(schedule &plan, const schedule_options &options) {
    tile_side &along = plan.along;
    tile_side &across = plan.across;
    if (plan.how == method::elements) {
        constexpr index_t block = 32; // both tensors' lines of a block stay in the L1 cache
        along.step = std::min(along.extent, block);
        across.step = std::min(across.extent, block);
        return;
    }
    if (plan.how == method::rows) {
        constexpr index_t chunk = 16 << 10; // enough to forget the loop, little enough to share
        const index_t wanted = options.along_bytes > 0 ? options.along_bytes : chunk;
        along.step = even_step(along.extent, wanted / plan.size_b, plan.size_b);
        across.step = std::clamp<index_t>(chunk / (along.step * plan.size_b), 1, across.extent);
        return;
    }
    const tile_shape &shape = plan.lines_of_b ? streamed_tile : buffered_tile;
    const index_t element = std::max(plan.size_a, plan.size_b);
    if (options.along_bytes > 0)
        along.step = std::clamp<index_t>(options.along_bytes / element, 1, along.extent);
    else if (along.extent * element > shape.whole_along)
        along.step = even_step(along.extent, shape.along / element, plan.size_b);
    const index_t fill = options.across_bytes > 0 ? options.across_bytes : shape.bytes / along.step;
    const index_t most = buffer_bytes / buffer_pitch(along.step * plan.size_a);
    across.step = std::min(most, even_step(across.extent, fill / element, plan.size_a));
}

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

    bool lines_of_a = whole_lines(plan.along.stride_a);
    plan.lines_of_b = whole_lines(plan.across.stride_b);
    for (const mode &one : problem.modes) {
        lines_of_a = lines_of_a && whole_lines(one.stride_a * size_a);
        plan.lines_of_b = plan.lines_of_b && whole_lines(one.stride_b * size_b);
    }
    choose_tile(plan, options);
    const auto cut_at_lines = [](const tile_side &side, index_t size) {
        return side.step < side.extent && whole_lines(side.step * size);
    };
    plan.along.cut_at_lines =
        plan.how != method::elements && plan.lines_of_b && cut_at_lines(plan.along, size_b);
    plan.across.cut_at_lines =
        plan.how == method::tiles && lines_of_a && cut_at_lines(plan.across, size_a);
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
