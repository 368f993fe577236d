#include "contract/gemm_nest.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::D;
using einsum_impl::extent_of;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;
using einsum_impl::sort_by_stride;
using einsum_impl::tensor_id;

const problem_mode no_mode{1, {}, ""};

/// The modes that a group offers for the matrix: each of its own, or none if it has none.
std::span<const problem_mode> choices(const mode_group &group) {
    return group.empty() ? std::span(&no_mode, 1) : std::span(group);
}

index_t step(const problem_mode &x, const problem_mode &y, tensor_id tensor) {
    index_t smallest = INT64_MAX;
    for (const problem_mode *mode : {&x, &y})
        if (mode->extent > 1)
            smallest = std::min(smallest, std::abs(mode->stride[tensor]));
    return smallest == INT64_MAX ? 1 : smallest;
}

/// Modes of `group` but for `chosen`, appended to `rest`.
void append_rest(const mode_group &group, const problem_mode &chosen, mode_group &rest) {
    for (const problem_mode &mode : group)
        if (&mode != &chosen)
            rest.push_back(mode);
}

/// Elements of the whole tensors.
struct tensor_sizes {
    double a, b, d;
};

/// How one nest uses `threads`, and what it costs then.
struct nest_price {
    double seconds;
    bool loop_threads; ///< threads take whole products
};

nest_price price(const gemm_nest &nest, const tensor_sizes &sizes, double loops, double sums,
                 const cost_model &model, int threads) {
    gemm_cost_shape shape{nest.m.extent, nest.n.extent, nest.k.extent};
    shape.step_a = step(nest.m, nest.k, A);
    shape.step_b = step(nest.k, nest.n, B);
    shape.step_d = step(nest.m, nest.n, D);
    shape.along_m = nest.m.stride[A] == 1 && nest.m.stride[D] == 1;
    shape.along_n = nest.n.stride[B] == 1 && nest.n.stride[D] == 1;
    shape.whole_a = sizes.a;
    shape.whole_b = sizes.b;
    shape.whole_d = sizes.d;
    const double inside = loops * sums * model.gemm_seconds(shape, threads);
    const double teams = std::min<double>(threads, loops);
    if (teams == 1)
        return {inside, false};
    // With few products some threads idle in the last round.
    const double rounds = std::ceil(loops / teams);
    const double outside =
        rounds * sums * model.gemm_seconds(shape, 1) + model.rates().fork_join(threads);
    return {std::min(inside, outside), outside < inside};
}

} // namespace

gemm_nest best_nest(const matrix_problem &problem, const cost_model &model,
                    const plan_environment &environment) {
    const double batch = static_cast<double>(extent_of(problem.batch));
    const double all_m = static_cast<double>(extent_of(problem.m));
    const double all_n = static_cast<double>(extent_of(problem.n));
    const double all_k = static_cast<double>(extent_of(problem.k));

    const tensor_sizes sizes{batch * all_m * all_k, batch * all_k * all_n, batch * all_m * all_n};

    gemm_nest best;
    const problem_mode *best_modes[3] = {};
    best.seconds = -1;
    for (const problem_mode &m : choices(problem.m))
        for (const problem_mode &n : choices(problem.n))
            for (const problem_mode &k : choices(problem.k)) {
                gemm_nest nest;
                nest.m = {m.extent, m.stride, ""};
                nest.n = {n.extent, n.stride, ""};
                nest.k = {k.extent, k.stride, ""};
                const double loops = batch * (all_m / static_cast<double>(m.extent)) *
                                     (all_n / static_cast<double>(n.extent));
                const double sums = all_k / static_cast<double>(k.extent);
                nest.seconds =
                    price(nest, sizes, loops, sums, model, environment.pricing_threads()).seconds;
                if (best.seconds < 0 || nest.seconds < best.seconds) {
                    best = nest;
                    const bool outside =
                        price(nest, sizes, loops, sums, model, environment.threads).loop_threads;
                    best.loop_threads =
                        outside ? static_cast<int>(std::min<double>(environment.threads, loops))
                                : 1;
                    best.gemm_threads = outside ? 1 : environment.threads;
                    best_modes[0] = &m;
                    best_modes[1] = &n;
                    best_modes[2] = &k;
                }
            }
    best.m.label = best_modes[0]->label;
    best.n.label = best_modes[1]->label;
    best.k.label = best_modes[2]->label;
    append_rest(problem.m, *best_modes[0], best.loops);
    append_rest(problem.n, *best_modes[1], best.loops);
    best.loops.insert(best.loops.end(), problem.batch.begin(), problem.batch.end());
    append_rest(problem.k, *best_modes[2], best.sums);
    sort_by_stride(best.loops, D);
    sort_by_stride(best.sums, A);
    return best;
}

} // namespace tenfold::contract_impl
