#include "contract/products/gemm_nest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <numeric>

#include "base/workspace.hpp"
#include "contract/choose/product_fit.hpp"
#include "gemm/forms/interleaved.hpp"
#include "gemm/plan/choose.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::D;
using einsum_impl::extent_of;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;
using einsum_impl::sort_by_stride;

const problem_mode no_mode{1, {}, ""};

/// The modes of a group from which the matrix mode is chosen; an empty group offers `no_mode`.
std::span<const problem_mode> choices(const mode_group &group) {
    return group.empty() ? std::span(&no_mode, 1) : std::span(group);
}

/// Appends the modes of `group` except `chosen` to `rest`.
void append_rest(const mode_group &group, const problem_mode &chosen, mode_group &rest) {
    for (const problem_mode &mode : group)
        if (&mode != &chosen)
            rest.push_back(mode);
}

/// The shape of the product along one mode of each group.
gemm_impl::gemm_shape shape_of(const matrix_problem &problem, const problem_mode &m,
                               const problem_mode &n, const problem_mode &k) noexcept {
    gemm_impl::gemm_shape shape;
    shape.type = problem.type;
    shape.m = m.extent;
    shape.n = n.extent;
    shape.k = k.extent;
    shape.row_stride_a = m.stride[A];
    shape.column_stride_a = k.stride[A];
    shape.row_stride_b = k.stride[B];
    shape.column_stride_b = n.stride[B];
    shape.row_stride_d = m.stride[D];
    shape.column_stride_d = n.stride[D];
    shape.conj_a = problem.conjugate_a;
    shape.conj_b = problem.conjugate_b;
    return shape;
}

/// How a nest uses its threads, with the resulting cost and workspace.
struct way {
    double seconds = 0;
    bool loop_threads = false; ///< threads compute whole products
    byte_count workspace;      ///< of all threads; 0 if there is no limit
    std::optional<gemm_impl::blocking> blocks;
};

/// Compares ways within the limit by time, and others by workspace.
bool is_better(const way &one, const way &other, byte_count limit) {
    if (one.workspace > limit && other.workspace > limit)
        return one.workspace < other.workspace;
    if (one.workspace > limit || other.workspace > limit)
        return other.workspace > limit;
    return one.seconds < other.seconds;
}

/// `loops` positions with `sums` products each, all of one shape; each of them `lanes` interleaved
/// ones, if there are any.
struct product_loops {
    gemm_impl::gemm_shape shape;
    data_type inputs; ///< of A and B
    tensor_sizes sizes;
    double loops, sums;
    double runs; ///< into which the products are divided, each along one mode
    index_t lanes = 0;
};

/// Prices `teams` teams of `threads` threads each, including the slowdown by a limit on workspace.
way price(const product_loops &all, int teams, int threads, const cost_model &model,
          const plan_environment &environment) {
    const double rounds = std::ceil(all.loops / teams); // some threads may idle in the last one
    const double seconds = all.lanes > 0
                               ? model.interleaved_seconds(all.shape, all.lanes, all.sizes, threads)
                               : model.gemm_seconds(all.shape, all.inputs, all.sizes, threads);
    const double starts = all.sizes.series ? all.runs / teams * model.rates().call : 0;
    way one{rounds * all.sums * seconds + starts, teams > 1, {}, std::nullopt};
    if (environment.limited() && all.lanes == 0) { // interleaved products need no workspace
        const index_t each = environment.workspace_limit.value / teams;
        const auto fit =
            fit_product(all.shape, all.inputs, all.sizes, environment, threads,
                        bytes(each / base::workspace_alignment * base::workspace_alignment));
        one.seconds *= fit.slowdown;
        one.workspace = bytes(teams * base::aligned_bytes(fit.workspace.value));
        one.blocks = fit.blocks;
    }
    return one;
}

way best_way(const product_loops &all, int threads, const cost_model &model,
             const plan_environment &environment) {
    way inside = price(all, 1, threads, model, environment);
    const int teams = static_cast<int>(std::min<double>(threads, all.loops));
    if (teams == 1)
        return inside;
    way outside = price(all, teams, 1, model, environment);
    outside.seconds += model.rates().fork_join(threads);
    return is_better(outside, inside, environment.workspace_limit) ? outside : inside;
}

/// The modes of a product, and the way to compute it.
struct nest_choice {
    const problem_mode *m = nullptr, *n = nullptr, *k = nullptr;
    const problem_mode *lanes = nullptr; ///< null: the products are not interleaved
    product_loops loops{};
    way best;
};

/// The batch mode along which products are interleaved; null: there is none.
const problem_mode *lanes_of(const matrix_problem &problem, isa instruction_set) noexcept {
    if (problem.inputs != problem.type)
        return nullptr; // there are no such kernels
    const auto *kernel = gemm_impl::select(problem.type, instruction_set);
    for (const problem_mode &mode : problem.batch)
        if (mode.stride[A] == 1 && mode.stride[B] == 1 && mode.stride[D] == 1 &&
            gemm_impl::fills_registers(problem.type, mode.extent, *kernel->kernel))
            return &mode;
    return nullptr;
}

/// The extent of the mode along which products follow one another: of those that are not chosen,
/// the one with the shortest stride, as sort_by_stride() puts it first.
double length_of_run(std::initializer_list<const mode_group *> groups,
                     std::initializer_list<const problem_mode *> chosen,
                     einsum_impl::tensor_id tensor) noexcept {
    const problem_mode *first = nullptr;
    for (const mode_group *group : groups)
        for (const problem_mode &mode : *group)
            if (std::find(chosen.begin(), chosen.end(), &mode) == chosen.end() &&
                (first == nullptr ||
                 std::abs(mode.stride[tensor]) < std::abs(first->stride[tensor])))
                first = &mode;
    return first == nullptr ? 1 : static_cast<double>(first->extent);
}

/// Returns the share of the products whose D begins on a cache line of `line` elements, if the
/// first one does: with strides that are no multiples of lines, beginnings are spread evenly.
double share_on_lines(const matrix_problem &problem, const problem_mode &m, const problem_mode &n,
                      index_t line) noexcept {
    index_t step = line;
    for (const mode_group *group : {&problem.batch, &problem.m, &problem.n})
        for (const problem_mode &mode : *group)
            if (&mode != &m && &mode != &n)
                step = std::gcd(step, mode.stride[D]);
    return static_cast<double>(step) / static_cast<double>(line);
}

/// Modes in the order in which products follow one another, which is along the first of them.
/// Allocates nothing: thousands of tiles are priced.
class mode_order {
public:
    /// Appends the modes of the group except those that are chosen, as sort_by_stride() orders all
    /// that were appended since `from`.
    void append(const mode_group &group, std::initializer_list<const problem_mode *> chosen,
                einsum_impl::tensor_id tensor, std::size_t from) {
        for (const problem_mode &mode : group) {
            if (std::find(chosen.begin(), chosen.end(), &mode) != chosen.end())
                continue;
            std::size_t at = count_++;
            for (; at > from &&
                   std::abs(modes_[at - 1]->stride[tensor]) > std::abs(mode.stride[tensor]);
                 --at)
                modes_[at] = modes_[at - 1];
            modes_[at] = &mode;
        }
    }
    std::size_t size() const noexcept { return count_; }
    std::span<const problem_mode *const> modes() const noexcept { return {modes_.data(), count_}; }

private:
    std::array<const problem_mode *, 2 * einsum_impl::max_modes> modes_; ///< of A and B
    std::size_t count_ = 0;
};

/// Returns the share of the products along `order`, the first mode first, before which the tensor's
/// matrix moves on by a number of elements that `counts` is true for.
template <class Counts> double share_of_moves(std::span<const problem_mode *const> order,
                                              einsum_impl::tensor_id tensor, const Counts &counts) {
    double share = 0;
    double each = 1;   // share of the products at which a mode moves on or begins anew
    index_t reach = 0; // of the modes before
    for (const problem_mode *mode : order) {
        const index_t stride = mode->stride[tensor];
        // It moves back to its beginning where the mode is none of its own.
        if ((stride != 0 || reach != 0) && counts(stride - reach))
            share += each * (1 - 1 / static_cast<double>(mode->extent));
        reach += (mode->extent - 1) * stride;
        each /= static_cast<double>(mode->extent);
    }
    return share;
}

/// Returns how much products along `order` touch from one use of a matrix of A or B to the next, in
/// elements of A and B; 0 if it is not used again. D counts also where it will go past the caches.
double touched_between_uses(std::span<const problem_mode *const> order,
                            einsum_impl::tensor_id tensor, const gemm_impl::gemm_shape &shape,
                            data_type inputs) {
    const double m = real(shape.m), n = real(shape.n), k = real(shape.k);
    double a = m * k, b = k * n, d = m * n * real(size_of(shape.type)) / real(size_of(inputs));
    for (const problem_mode *mode : order) {
        const double extent = real(mode->extent);
        if (extent > 1 && mode->stride[tensor] == 0)
            return a + b + d;
        a *= mode->stride[A] != 0 ? extent : 1;
        b *= mode->stride[B] != 0 ? extent : 1;
        d *= mode->stride[D] != 0 ? extent : 1;
    }
    return 0;
}

nest_choice choose_nest(const matrix_problem &problem, const cost_model &model,
                        const plan_environment &environment) {
    const double batch = static_cast<double>(extent_of(problem.batch));
    const double all_m = static_cast<double>(extent_of(problem.m));
    const double all_n = static_cast<double>(extent_of(problem.n));
    const double all_k = static_cast<double>(extent_of(problem.k));
    const tensor_sizes sizes{std::max(problem.whole.a, batch * all_m * all_k),
                             std::max(problem.whole.b, batch * all_k * all_n),
                             std::max(problem.whole.d, batch * all_m * all_n)};
    nest_choice best;
    const auto consider = [&](const nest_choice &one) {
        const way priced = best_way(one.loops, environment.threads, model, environment);
        if (best.m == nullptr || is_better(priced, best.best, environment.workspace_limit)) {
            best = one;
            best.best = priced;
        }
    };
    const problem_mode *const lanes = lanes_of(problem, environment.ctx->isa());
    const bool leaves_l2 =
        (sizes.a + sizes.b + sizes.d) * real(size_of(problem.type)) > model.cache();

    for (const problem_mode &m : choices(problem.m))
        for (const problem_mode &n : choices(problem.n))
            for (const problem_mode &k : choices(problem.k)) {
                product_loops loops{shape_of(problem, m, n, k),
                                    problem.inputs,
                                    sizes,
                                    batch * (all_m / static_cast<double>(m.extent)) *
                                        (all_n / static_cast<double>(n.extent)),
                                    all_k / static_cast<double>(k.extent),
                                    1};
                const auto set_runs = [&](const problem_mode *apart) {
                    const double run = loops.sums > 1
                                           ? length_of_run({&problem.k}, {&k}, A)
                                           : length_of_run({&problem.batch, &problem.m, &problem.n},
                                                           {&m, &n, apart}, D);
                    loops.runs = loops.loops * loops.sums / run;
                };
                set_runs(nullptr);
                loops.sizes.sums = problem.whole.sums || loops.sums > 1;
                loops.sizes.terms = loops.sums;
                loops.sizes.series = loops.loops * loops.sums > 1;
                loops.sizes.on_lines = share_on_lines(problem, m, n, model.elements_of_line());
                if (loops.sizes.series && leaves_l2) {
                    mode_order all;
                    all.append(problem.k, {&k}, A, 0); // sums are inside of the loops
                    const std::size_t sums = all.size();
                    for (const mode_group *group : {&problem.batch, &problem.m, &problem.n})
                        all.append(*group, {&m, &n}, D, sums);
                    const auto order = all.modes();
                    const auto far = [&](index_t elements) { return model.is_far(elements); };
                    loops.sizes.a = std::max(
                        sizes.a, touched_between_uses(order, A, loops.shape, loops.inputs));
                    loops.sizes.b = std::max(
                        sizes.b, touched_between_uses(order, B, loops.shape, loops.inputs));
                    loops.sizes.far_a = share_of_moves(order, A, far);
                    loops.sizes.far_b = share_of_moves(order, B, far);
                    loops.sizes.far_d = share_of_moves(order, D, far);
                    const auto anew_after = [](const problem_mode &run) {
                        return [length = run.extent](index_t step) { return step != length; };
                    };
                    loops.sizes.anew_a =
                        share_of_moves(order, A, anew_after(m.stride[A] == 1 ? m : k));
                    loops.sizes.anew_b =
                        share_of_moves(order, B, anew_after(n.stride[B] == 1 ? n : k));
                }
                consider({&m, &n, &k, nullptr, loops, {}});
                constexpr index_t longest = INT32_MAX; // kernels divide in 32 bits
                if (lanes != nullptr && m.extent <= longest && n.extent <= longest) {
                    loops.loops /= static_cast<double>(lanes->extent);
                    loops.lanes = lanes->extent;
                    set_runs(lanes);
                    consider({&m, &n, &k, lanes, loops, {}});
                }
            }
    return best;
}

} // namespace

gemm_impl::gemm_shape product_shape(const matrix_problem &problem, const gemm_nest &nest) noexcept {
    return shape_of(problem, nest.m, nest.n, nest.k);
}

nest_price price_nest(const matrix_problem &problem, const cost_model &model,
                      const plan_environment &environment) {
    const way best = choose_nest(problem, model, environment).best;
    return {best.seconds, best.workspace};
}

gemm_nest best_nest(const matrix_problem &problem, const cost_model &model,
                    const plan_environment &environment) {
    const nest_choice choice = choose_nest(problem, model, environment);
    const auto [m, n, k, lanes, all, best] = choice;
    const int threads = environment.threads;
    const bool outside = best.loop_threads;
    gemm_nest nest;
    nest.m = *m;
    nest.n = *n;
    nest.k = *k;
    append_rest(problem.m, *m, nest.loops);
    append_rest(problem.n, *n, nest.loops);
    for (const problem_mode &mode : problem.batch)
        if (&mode != lanes)
            nest.loops.push_back(mode);
    if (lanes != nullptr)
        nest.lanes = *lanes;
    append_rest(problem.k, *k, nest.sums);
    sort_by_stride(nest.loops, D);
    sort_by_stride(nest.sums, A);
    nest.loop_threads = outside ? static_cast<int>(std::min<double>(threads, all.loops)) : 1;
    nest.gemm_threads = outside ? 1 : threads;
    nest.whole = all.sizes;
    nest.seconds = best.seconds;
    nest.blocks = best.blocks;
    return nest;
}

} // namespace tenfold::contract_impl
