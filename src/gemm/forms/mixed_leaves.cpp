#include "gemm/forms/mixed_leaves.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "base/workspace.hpp"
#include "gemm/forms/leaf_sum.hpp"
#include "gemm/forms/split_k.hpp"

namespace tenfold::gemm_impl {
namespace {

using base::range;

index_t partial_bytes(const leaves_problem &p) noexcept {
    return base::aligned_bytes(p.shape.m * p.shape.n * p.leaf.elements.output);
}

} // namespace

byte_count leaves_problem::workspace_size() const noexcept {
    return bytes(leaves * partial_bytes(*this) + threads * leaf.workspace_size().value);
}

leaves_problem make_leaves_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                   const blocking &blocks, const element_format &elements,
                                   int threads) noexcept {
    // Count tiles of one fixed, square size, so that all instruction sets, and D^T, cut k in the
    // same way.
    micro_kernel tile{};
    tile.mr = tile.nr = 24;
    gemm_shape leaf = shape;
    leaf.k = base::round_up(base::divide_up(shape.k, choose_leaves(shape, tile)), elements.group);
    leaf.row_stride_d = 1;
    leaf.column_stride_d = shape.m;
    const index_t leaves = base::divide_up(shape.k, leaf.k);
    const int team = static_cast<int>(std::min<index_t>(threads, leaves));
    return {shape, make_macro_problem(leaf, kernel, blocks, 1, elements), leaves, team};
}

template <class Out> void run_leaves(const leaves_problem &p, Out alpha, const void *a,
                                     const void *b, Out beta, Out *d, std::byte *workspace,
                                     const fused_epilogue *finish) noexcept {
    const gemm_shape &s = p.shape;
    const index_t partial_size = partial_bytes(p) / static_cast<index_t>(sizeof(Out));
    Out *partial = reinterpret_cast<Out *>(workspace);
    std::byte *panels = workspace + p.leaves * partial_bytes(p);
    const index_t step_a = s.column_stride_a * p.leaf.elements.input;
    const index_t step_b = s.row_stride_b * p.leaf.elements.input;

    base::run_parallel(p.threads, [&](base::team_member me) {
        const range mine = base::split(p.leaves, me.size(), me.id());
        for (index_t leaf = mine.begin; leaf < mine.end; ++leaf) {
            const base::work_part part_of_work(1 / static_cast<double>(p.leaves));
            const range steps{leaf * p.leaf.shape.k, std::min(s.k, (leaf + 1) * p.leaf.shape.k)};
            macro_problem part = p.leaf;
            part.shape.k = steps.size();
            const Out one(1);
            const Out zero(0);
            run_macro_alone(part, &one, static_cast<const std::byte *>(a) + steps.begin * step_a,
                            static_cast<const std::byte *>(b) + steps.begin * step_b, &zero,
                            partial + leaf * partial_size,
                            panels + me.id() * p.leaf.workspace_size().value);
        }
        me.barrier();
        const range columns = base::split(s.n, me.size(), me.id());
        sum_leaves(s, partial, partial_size, p.leaves, alpha, beta, d, columns, finish);
    });
}

template void run_leaves(const leaves_problem &, float, const void *, const void *, float, float *,
                         std::byte *, const fused_epilogue *) noexcept;
template void run_leaves(const leaves_problem &, std::uint32_t, const void *, const void *,
                         std::uint32_t, std::uint32_t *, std::byte *,
                         const fused_epilogue *) noexcept;

} // namespace tenfold::gemm_impl
