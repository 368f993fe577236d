#include "gemm/forms/split_k.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "base/with_type.hpp"
#include "base/workspace.hpp"
#include "gemm/forms/leaf_sum.hpp"

namespace tenfold::gemm_impl {
namespace {

using base::range;

index_t partial_bytes(const split_k_problem &p) noexcept {
    return base::aligned_bytes(p.shape.m * p.shape.n * size_of(p.shape.type));
}

template <class T> void run_typed(const split_k_problem &p, T alpha, const T *a, const T *b, T beta,
                                  T *d, std::byte *workspace,
                                  const fused_epilogue *finish) noexcept {
    const gemm_shape &s = p.shape;
    const index_t partial_size = partial_bytes(p) / static_cast<index_t>(sizeof(T));
    T *partial = reinterpret_cast<T *>(workspace);
    std::byte *panels = workspace + p.leaves * partial_bytes(p);

    base::run_parallel(p.threads, [&](base::team_member me) {
        const range mine = base::split(p.leaves, me.size(), me.id());
        for (index_t leaf = mine.begin; leaf < mine.end; ++leaf) {
            const base::work_part part_of_work(1 / static_cast<double>(p.leaves));
            const range steps{std::min(s.k, leaf * p.leaf.shape.k),
                              std::min(s.k, (leaf + 1) * p.leaf.shape.k)};
            const T one(1);
            const T zero(0);
            const T *const from_a = a + steps.begin * s.column_stride_a;
            const T *const from_b = b + steps.begin * s.row_stride_b;
            T *const to = partial + leaf * partial_size;
            if (p.streams) {
                streamed_problem part = p.in_place;
                part.shape.k = steps.size();
                run_streamed_alone(part, &one, from_a, from_b, &zero, to);
            } else {
                macro_problem part = p.leaf;
                part.shape.k = steps.size();
                run_macro_alone(part, &one, from_a, from_b, &zero, to,
                                panels + me.id() * p.leaf.workspace_size().value);
            }
        }
        me.barrier();
        const range columns = base::split(s.n, me.size(), me.id());
        sum_leaves(s, partial, partial_size, p.leaves, alpha, beta, d, columns, finish);
    });
}

} // namespace

byte_count split_k_problem::workspace_size() const noexcept {
    return bytes(leaves * partial_bytes(*this) +
                 (streams ? 0 : threads * leaf.workspace_size().value));
}

index_t choose_leaves(const gemm_shape &shape, const micro_kernel &kernel) noexcept {
    constexpr index_t enough_tiles = 64;     // for the cores of a socket
    constexpr index_t steps_per_leaf = 2048; // several blocks of k, so that summing leaves is cheap
    constexpr index_t most_leaves = 32;
    const index_t tiles = base::divide_up(shape.m, kernel.mr) * base::divide_up(shape.n, kernel.nr);
    if (shape.m > enough_tiles * kernel.mr || shape.n > enough_tiles * kernel.nr ||
        tiles > enough_tiles)
        return 1;
    const index_t length =
        base::divide_up(shape.k, std::clamp<index_t>(shape.k / steps_per_leaf, 1, most_leaves));
    return base::divide_up(shape.k, length); // no leaf is empty
}

split_k_problem make_split_k_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                     const blocking &blocks, index_t leaves, int threads) noexcept {
    gemm_shape leaf = shape;
    leaf.k = base::divide_up(shape.k, leaves);
    leaf.row_stride_d = 1;
    leaf.column_stride_d = shape.m;
    const int team = static_cast<int>(std::min<index_t>(threads, leaves));
    return {shape,
            make_macro_problem(leaf, kernel, blocks, 1),
            make_streamed_problem(leaf, kernel, blocks, 1),
            can_stream(leaf, kernel),
            leaves,
            team};
}

void run_split_k(const split_k_problem &problem, scalar alpha, const void *a, const void *b,
                 scalar beta, void *d, std::byte *workspace,
                 const fused_epilogue *finish) noexcept {
    base::with_arithmetic_type(problem.shape.type, [&]<class T>(T) {
        run_typed(problem, base::scalar_cast<T>(alpha), static_cast<const T *>(a),
                  static_cast<const T *>(b), base::scalar_cast<T>(beta), static_cast<T *>(d),
                  workspace, finish);
    });
}

} // namespace tenfold::gemm_impl
