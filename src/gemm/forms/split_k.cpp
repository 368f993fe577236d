#include "gemm/forms/split_k.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "base/with_type.hpp"
#include "base/workspace.hpp"
#include "gemm/plan/choose.hpp"

namespace tenfold::gemm_impl {
namespace {

using base::range;

index_t partial_bytes(const split_k_problem &p) noexcept {
    return base::aligned_bytes(p.shape.m * p.shape.n * size_of(p.shape.type));
}

index_t partial_bytes(const leaves_problem &p) noexcept {
    return base::aligned_bytes(p.shape.m * p.shape.n * p.leaf.elements.output);
}

template <class T> void run_typed(const split_k_problem &p, const typed_operands<T> &x) noexcept {
    const gemm_shape &s = p.shape;
    const index_t partial_size = partial_bytes(p) / static_cast<index_t>(sizeof(T));
    T *partial = reinterpret_cast<T *>(x.workspace);
    std::byte *panels = x.workspace + p.leaves * partial_bytes(p);

    base::run_parallel(p.threads, [&](base::team_member me) {
        const range mine = base::split(p.leaves, me.size(), me.id());
        for (index_t leaf = mine.begin; leaf < mine.end; ++leaf) {
            const base::work_part part_of_work(1 / static_cast<double>(p.leaves));
            const range steps{std::min(s.k, leaf * p.leaf.shape.k),
                              std::min(s.k, (leaf + 1) * p.leaf.shape.k)};
            const T one(1);
            const T zero(0);
            loop_operands of_leaf{.alpha = &one,
                                  .a = x.a + steps.begin * s.column_stride_a,
                                  .b = x.b + steps.begin * s.row_stride_b,
                                  .beta = &zero,
                                  .d = partial + leaf * partial_size};
            if (p.streams) {
                streamed_problem part = p.in_place;
                part.shape.k = steps.size();
                run_streamed_alone(part, of_leaf);
            } else {
                macro_problem part = p.leaf;
                part.shape.k = steps.size();
                of_leaf.workspace = panels + me.id() * p.leaf.workspace_size().value;
                run_macro_alone(part, of_leaf);
            }
        }
        me.barrier();
        sum_leaves(s, computed_leaves<T>{partial, partial_size, p.leaves}, x,
                   base::split(s.n, me.size(), me.id()));
    });
}

} // namespace

byte_count split_k_problem::workspace_size() const noexcept {
    return bytes(leaves * partial_bytes(*this) +
                 (streams ? 0 : threads * leaf.workspace_size().value));
}

split_k_problem make_split_k_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                     const macro_place &on, index_t leaves) noexcept {
    gemm_shape leaf = shape;
    leaf.k = base::divide_up(shape.k, leaves);
    leaf.row_stride_d = 1;
    leaf.column_stride_d = shape.m;
    const int team = static_cast<int>(std::min<index_t>(on.threads, leaves));
    return {shape,
            make_macro_problem(leaf, kernel, {on.machine, on.blocks}),
            make_streamed_problem(leaf, kernel, on.machine, 1),
            can_stream(leaf, kernel, on.machine),
            leaves,
            team};
}

void run_split_k(const split_k_problem &problem, const product_operands<> &x) noexcept {
    base::with_arithmetic_type(problem.shape.type,
                               [&]<class T>(T) { run_typed(problem, typed<T>(x)); });
}

byte_count leaves_problem::workspace_size() const noexcept {
    return bytes(leaves * partial_bytes(*this) + threads * leaf.workspace_size().value);
}

leaves_problem make_leaves_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                   const macro_place &on, const element_format &elements,
                                   index_t leaves) noexcept {
    gemm_shape leaf = shape;
    leaf.k = base::round_up(base::divide_up(shape.k, leaves), elements.group);
    leaf.row_stride_d = 1;
    leaf.column_stride_d = shape.m;
    leaves = base::divide_up(shape.k, leaf.k); // whole words of a panel may make them fewer
    const int team = static_cast<int>(std::min<index_t>(on.threads, leaves));
    return {shape, make_macro_problem(leaf, kernel, {on.machine, on.blocks}, elements), leaves,
            team};
}

template <class Out> void run_leaves(const leaves_problem &p,
                                     const product_operands<Out, const void *, Out *> &x) noexcept {
    const gemm_shape &s = p.shape;
    const index_t partial_size = partial_bytes(p) / static_cast<index_t>(sizeof(Out));
    Out *partial = reinterpret_cast<Out *>(x.workspace);
    std::byte *panels = x.workspace + p.leaves * partial_bytes(p);
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
            run_macro_alone(part, {.alpha = &one,
                                   .a = static_cast<const std::byte *>(x.a) + steps.begin * step_a,
                                   .b = static_cast<const std::byte *>(x.b) + steps.begin * step_b,
                                   .beta = &zero,
                                   .d = partial + leaf * partial_size,
                                   .workspace = panels + me.id() * p.leaf.workspace_size().value});
        }
        me.barrier();
        sum_leaves(s, computed_leaves<Out>{partial, partial_size, p.leaves}, x,
                   base::split(s.n, me.size(), me.id()));
    });
}

template void run_leaves(const leaves_problem &,
                         const product_operands<float, const void *, float *> &) noexcept;
template void
run_leaves(const leaves_problem &,
           const product_operands<std::uint32_t, const void *, std::uint32_t *> &) noexcept;

} // namespace tenfold::gemm_impl
