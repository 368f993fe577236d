#include "contract/arrangement.hpp"

#include <algorithm>
#include <cstdlib>

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

/// Moves one tensor: gives the modes of `parts`, in this order, dense strides.
relocation relocate(std::initializer_list<mode_group *> parts, mode_group *summed,
                    tensor_id tensor) {
    relocation result;
    index_t fastest_before = INT64_MAX;
    std::size_t fastest_mode = 0;
    for (mode_group *part : parts)
        for (problem_mode &mode : *part) {
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
    result.keeps_fast_mode = fastest_mode == 0;
    if (summed != nullptr) {
        result.summed = *summed;
        summed->clear();
    }
    return result;
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
                        for (int reversals = 0; reversals < 8; ++reversals) {
                            choice.reversed = {(reversals & 1) != 0, (reversals & 2) != 0,
                                               (reversals & 4) != 0};
                            if ((choice.reversed[A] && !a) || (choice.reversed[B] && !b) ||
                                (choice.reversed[arranged_d] && !d))
                                continue;
                            choice.order_m = m;
                            choice.order_n = n;
                            choice.order_k = k;
                            choice.order_batch = l;
                            all.push_back(choice);
                        }
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
    arranged_problem result;
    const auto move_input = [&](tensor_id tensor, mode_group &one, mode_group &other,
                                mode_group &isolated) {
        mode_group *first = choice.reversed[tensor] ? &other : &one;
        mode_group *second = choice.reversed[tensor] ? &one : &other;
        result.moves[tensor] =
            sums_on_the_way ? relocate({first, second, &g.batch}, &isolated, tensor)
                            : relocate({first, second, &isolated, &g.batch}, nullptr, tensor);
    };
    if (choice.move[A])
        move_input(A, g.m, g.k, g.isolated_a);
    if (choice.move[B])
        move_input(B, g.k, g.n, g.isolated_b);
    if (choice.move[arranged_d]) {
        mode_group *first = choice.reversed[arranged_d] ? &g.n : &g.m;
        mode_group *second = choice.reversed[arranged_d] ? &g.m : &g.n;
        result.moves[arranged_d] = relocate({first, second, &g.batch}, nullptr, D);
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
