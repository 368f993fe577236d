#include "contract/arrangement.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;
using einsum_impl::tensor_id;

/// A group in the order in which its modes lie in `tensor`.
mode_group in_order_of(mode_group group, tensor_id tensor) {
    einsum_impl::sort_by_stride(group, tensor);
    return group;
}

/// The problem's groups, which share their modes with the tensors; strides change as tensors move.
struct groups {
    mode_group batch, m, n, k, isolated_a, isolated_b;
};

/// The stride that follows `elements`: an odd number of cache lines once it is some lines long.
/// Columns at a power of two from each other would share a set of the cache.
index_t spread(index_t elements, index_t element_size) {
    constexpr index_t line = 64;
    const index_t long_stride = 16 * line / element_size;
    if (elements < long_stride)
        return elements;
    const index_t per_line = line / element_size;
    const index_t lines = (elements + per_line - 1) / per_line;
    return (lines | 1) * per_line;
}

/// Moves one tensor: gives the modes of `parts`, in this order, strides that are dense within a
/// part, so that its modes stay one mode wherever they can be.
relocation relocate(const std::vector<std::span<problem_mode>> &parts, mode_group *summed,
                    tensor_id tensor, index_t element_size) {
    relocation result;
    index_t fastest_before = INT64_MAX;
    std::size_t fastest_mode = 0;
    for (const std::span<problem_mode> part : parts) {
        if (!part.empty())
            result.elements = spread(result.elements, element_size);
        for (problem_mode &mode : part) {
            const index_t step = std::abs(mode.stride[tensor]);
            if (step < fastest_before) {
                fastest_before = step;
                fastest_mode = result.modes.size();
            }
            result.modes.push_back(mode);
            result.new_stride.push_back(result.elements);
            mode.stride[tensor] = result.elements;
            result.elements *= mode.extent;
        }
    }
    result.keeps_fast_mode = fastest_mode == 0;
    if (summed != nullptr) {
        result.summed = *summed;
        summed->clear();
    }
    return result;
}

/// The orders worth trying in a tensor; `modes`: of its group that can be split.
std::span<const group_order> group_orders(bool moved, std::size_t modes) {
    static constexpr std::array all{group_order::plain, group_order::reversed, group_order::split};
    return std::span(all).first(!moved ? 1 : modes < 2 ? 2 : 3);
}

/// How many of a tensor's free modes lie before the summed ones.
std::size_t modes_ahead(group_order order, tensor_id tensor, std::size_t free_modes) {
    if (order == group_order::split)
        return std::min<std::size_t>(1, free_modes);
    return (order == group_order::plain) == (tensor == A) ? free_modes : 0;
}

} // namespace

bool multiplies_natively(data_type type) noexcept {
    return type != data_type::bf16 && type != data_type::f16;
}

std::vector<arrangement> enumerate_arrangements(const contraction_problem &problem) {
    const bool convert = !multiplies_natively(problem.type[A]);
    const bool must_move_a = convert || !problem.isolated_a.empty();
    const bool must_move_b = !problem.unary && (convert || !problem.isolated_b.empty());

    // A group whose order nobody moved depends on offers one choice.
    const auto orders = [](const mode_group &group, bool moved, std::vector<tensor_id> carriers) {
        if (!moved || group.size() < 2)
            carriers.resize(1);
        return carriers;
    };
    std::vector<arrangement> all;
    for (int moves = 1; moves < 8; ++moves) {
        arrangement choice;
        choice.move = {(moves & 1) != 0, (moves & 2) != 0, (moves & 4) != 0};
        const auto [a, b, d] = choice.move;
        if ((must_move_a && !a) || (must_move_b && !b) || (problem.unary && b))
            continue;
        for (const tensor_id m : orders(problem.m, a || d, {D, A}))
            for (const tensor_id n : orders(problem.n, b || d, {D, B}))
                for (const tensor_id k : orders(problem.k, a || b, {A, B}))
                    for (const tensor_id l : orders(problem.batch, true, {D, A, B}))
                        for (const group_order of_a : group_orders(a, problem.m.size()))
                            for (const group_order of_b : group_orders(b, problem.n.size()))
                                for (const group_order of_d : group_orders(d, 1))
                                    all.push_back({choice.move, {of_a, of_b, of_d}, m, n, k, l});
    }
    return all;
}

arranged_problem arrange(const contraction_problem &problem, const arrangement &choice) {
    groups g{in_order_of(problem.batch, choice.order_batch),
             in_order_of(problem.m, choice.order_m),
             in_order_of(problem.n, choice.order_n),
             in_order_of(problem.k, choice.order_k),
             problem.isolated_a,
             problem.isolated_b};
    // Converted operands keep their isolated labels: sums are formed in the wider type.
    const bool sums_on_the_way = multiplies_natively(problem.type[A]);
    const index_t element_size = size_of(problem.type[D]);
    arranged_problem result;
    const auto move_input = [&](tensor_id tensor, mode_group &free, mode_group &summed,
                                mode_group &isolated) {
        const std::size_t ahead = modes_ahead(choice.order[tensor], tensor, free.size());
        const std::span<problem_mode> free_modes(free);
        std::vector<std::span<problem_mode>> parts{free_modes.first(ahead), summed,
                                                   free_modes.subspan(ahead)};
        if (!sums_on_the_way)
            parts.push_back(isolated);
        parts.push_back(g.batch);
        result.moves[tensor] =
            relocate(parts, sums_on_the_way ? &isolated : nullptr, tensor, element_size);
    };
    if (choice.move[A])
        move_input(A, g.m, g.k, g.isolated_a);
    if (choice.move[B])
        move_input(B, g.n, g.k, g.isolated_b);
    if (choice.move[arranged_d]) {
        const bool reversed = choice.order[arranged_d] == group_order::reversed;
        result.moves[arranged_d] = relocate({reversed ? g.n : g.m, reversed ? g.m : g.n, g.batch},
                                            nullptr, D, element_size);
    }
    matrix_problem &matrices = result.matrices;
    matrices.type = problem.type[D];
    matrices.conjugate_a = problem.conjugate[A];
    matrices.conjugate_b = problem.conjugate[B];
    matrices.batch = std::move(g.batch);
    matrices.m = std::move(g.m);
    matrices.n = std::move(g.n);
    matrices.k = std::move(g.k);
    for (const mode_group *isolated : {&g.isolated_a, &g.isolated_b})
        matrices.k.insert(matrices.k.end(), isolated->begin(), isolated->end());
    matrices = fused(std::move(matrices));
    return result;
}

} // namespace tenfold::contract_impl
