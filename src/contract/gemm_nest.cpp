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

/// Modes of `group` but for `chosen`, appended to `rest`.
void append_rest(const mode_group &group, const problem_mode &chosen, mode_group &rest) {
    for (const problem_mode &mode : group)
        if (&mode != &chosen)
            rest.push_back(mode);
}

/// How one nest uses `threads`, and what it costs then.
struct nest_price {
    double seconds;
    bool loop_threads; ///< threads take whole products
};

nest_price price(const gemm_impl::gemm_shape &shape, const tensor_sizes &sizes, double loops,
                 double sums, const cost_model &model, int threads) {
    const double inside = loops * sums * model.gemm_seconds(shape, sizes, threads);
    const double teams = std::min<double>(threads, loops);
    if (teams == 1)
        return {inside, false};
    // With few products some threads idle in the last round.
    const double rounds = std::ceil(loops / teams);
    const double outside =
        rounds * sums * model.gemm_seconds(shape, sizes, 1) + model.rates().fork_join(threads);
    return {std::min(inside, outside), outside < inside};
}

} // namespace

gemm_impl::gemm_shape product_shape(const matrix_problem &problem, const gemm_nest &nest) noexcept {
    gemm_impl::gemm_shape shape;
    shape.type = problem.type;
    shape.m = nest.m.extent;
    shape.n = nest.n.extent;
    shape.k = nest.k.extent;
    shape.row_stride_a = nest.m.stride[A];
    shape.column_stride_a = nest.k.stride[A];
    shape.row_stride_b = nest.k.stride[B];
    shape.column_stride_b = nest.n.stride[B];
    shape.row_stride_d = nest.m.stride[D];
    shape.column_stride_d = nest.n.stride[D];
    shape.conj_a = problem.conjugate_a;
    shape.conj_b = problem.conjugate_b;
    return shape;
}

gemm_nest best_nest(const matrix_problem &problem, const cost_model &model,
                    const plan_environment &environment) {
    const double batch = static_cast<double>(extent_of(problem.batch));
    const double all_m = static_cast<double>(extent_of(problem.m));
    const double all_n = static_cast<double>(extent_of(problem.n));
    const double all_k = static_cast<double>(extent_of(problem.k));

    const tensor_sizes sizes{std::max(problem.whole.a, batch * all_m * all_k),
                             std::max(problem.whole.b, batch * all_k * all_n),
                             std::max(problem.whole.d, batch * all_m * all_n)};

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
                const gemm_impl::gemm_shape shape = product_shape(problem, nest);
                nest.seconds =
                    price(shape, sizes, loops, sums, model, environment.pricing_threads()).seconds;
                if (best.seconds < 0 || nest.seconds < best.seconds) {
                    best = nest;
                    const bool outside =
                        price(shape, sizes, loops, sums, model, environment.threads).loop_threads;
                    best.loop_threads =
                        outside ? static_cast<int>(std::min<double>(environment.threads, loops))
                                : 1;
                    best.gemm_threads = outside ? 1 : environment.threads;
                    best_modes[0] = &m;
                    best_modes[1] = &n;
                    best_modes[2] = &k;
                }
            }
    best.whole_d = sizes.d;
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
