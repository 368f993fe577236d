#include "gemm/forms/macro_problem.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "base/scalars.hpp"
#include "base/workspace.hpp"
#include "gemm/plan/choose.hpp"

namespace tenfold::gemm_impl {

using base::divide_up;
using base::round_up;

namespace {

/// Returns the size of blocks, at most `most` and a multiple of `grain`, that cut n into blocks of
/// nearly equal size.
index_t balanced_block(index_t n, index_t most, index_t grain) noexcept {
    return std::max(grain, round_up(divide_up(n, std::max<index_t>(1, divide_up(n, most))), grain));
}

} // namespace

element_format element_format::of(data_type type) noexcept {
    const index_t size = size_of(type);
    return {size, size, size, 1, 0, base::one_of(type)};
}

macro_problem make_macro_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                 const macro_place &on, const element_format &elements,
                                 index_t whole_d) noexcept {
    const auto &[machine, blocks, threads] = on;
    macro_problem p{shape, &kernel, blocks, false, false, threads, elements};
    // Packing pays if a panel is used often enough and reading in place would miss L1 or the TLB.
    // Operands smaller than the part of L1 reserved for a micro-panel of B do not miss. Only real
    // types are read in place: complex panels need their real and imaginary parts split.
    if (kernel.multiply_direct != nullptr) {
        const index_t resident = blocks.kc * blocks.nr;
        p.direct_a =
            shape.row_stride_a == 1 && (shape.n <= 3 * blocks.nr || shape.m <= resident / shape.k);
        const bool few_tiles = shape.m <= (shape.scatters_b() ? 1 : 3) * blocks.mr;
        p.direct_b = few_tiles || shape.n <= resident / shape.k;
    }
    // k is cut into equal parts that depend only on the shape and the machine. This fixes the order
    // of every sum, whatever the number of threads.
    p.blocks.kc = balanced_block(shape.k, blocks.kc, elements.group);
    const thread_grid grid = choose_grid(threads, shape.m, shape.n, blocks);
    p.blocks.nc = balanced_block(shape.n, blocks.nc, blocks.nr);
    // D is written once and does not fit the caches, so without streaming stores half of its
    // traffic is reading what is overwritten. Registers shorter than a line would write parts of
    // lines past the cache, which took longer. D's columns are written in long runs: A's block then
    // takes the next one's part of L2, too, and has more rows if it has fewer steps. Stores past
    // the caches hold up what comes from L2, so that blocks in L1 are better (docs/adr/0002).
    constexpr index_t line = 64;
    const double d = static_cast<double>(std::max(shape.m * shape.n, whole_d)) *
                     static_cast<double>(elements.output);
    const bool once =
        shape.k <= blocks.kc && shape.row_stride_d == 1 && leaves_caches(d, machine, threads);
    const bool whole_lines = kernel.vector_length * elements.output >= line &&
                             shape.column_stride_d % kernel.vector_length == 0;
    p.streams = once && whole_lines;
    constexpr index_t short_k = 96; // steps that take as long as memory
    const double apart =
        std::abs(static_cast<double>(shape.column_stride_d)) * static_cast<double>(elements.output);
    p.fetches_d = once && apart < static_cast<double>(machine.page) && shape.k < short_k;
    // A's block and the next one take half of L2.
    p.fetches_a = !p.direct_a && grid.n == 1 && shape.has_runs_in_a();
    p.fetches_b = !p.direct_b && shape.has_runs_in_b() &&
                  p.blocks.nc * elements.row_bytes(p.blocks.kc) <= machine.l2.size / 4;
    const bool given = machine.blocking.mc > 0;
    const index_t run = given ? blocks.mc : 2 * blocks.mc;
    index_t most_rows = !once ? blocks.mc : whole_lines ? run : run * blocks.kc / p.blocks.kc;
    const index_t enough = kernel.store_delayed != nullptr ? 4 : 3; // micro-panels
    const index_t in_l1 = rows_in_l1(machine, p.blocks, elements.row_bytes(p.blocks.kc));
    if (p.streams && !given && in_l1 >= enough * blocks.mr)
        most_rows = std::min(most_rows, in_l1);
    p.blocks.mc = balanced_block(divide_up(shape.m, grid.m), most_rows, blocks.mr);
    return p;
}

index_t macro_problem::a_buffer_bytes() const noexcept {
    const bool remainder = shape.m % kernel->vector_length != 0; // rows that no register holds
    const index_t rows = !direct_a ? blocks.mc : remainder ? blocks.mr : 0;
    return base::aligned_bytes(rows * elements.row_bytes(blocks.kc));
}

index_t macro_problem::b_buffer_bytes() const noexcept {
    return direct_b ? 0 : base::aligned_bytes(blocks.nc * elements.row_bytes(blocks.kc));
}

int macro_problem::b_buffers() const noexcept {
    const bool one_panel = shape.n <= blocks.nc && shape.k <= blocks.kc;
    return threads == 1 || one_panel ? 1 : 2;
}

byte_count macro_problem::workspace_size() const noexcept {
    return bytes(threads * a_buffer_bytes() + b_buffers() * b_buffer_bytes());
}

} // namespace tenfold::gemm_impl
