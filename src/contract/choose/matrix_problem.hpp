// A contraction whose tensors are ready to be multiplied: groups with strides in A, B and D only.
// TTGT makes new ones of these by moving tensors; loops over GEMM solve them.
#pragma once

#include "contract/choose/cost_model.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

struct matrix_problem {
    einsum_impl::mode_group batch, m, n, k; ///< fused in A, B and D; C's strides are 0
    data_type type = data_type::f64;        ///< of all three
    bool conjugate_a = false;
    bool conjugate_b = false;
    /// Elements of the tensors that A, B and D are tiles of; 0: what lies here is all there is.
    tensor_sizes whole;
};

/// The modes' extents, one by one.
inline extents_t extents_of(const einsum_impl::mode_group &group) {
    extents_t extents;
    for (const einsum_impl::problem_mode &mode : group)
        extents.push_back(mode.extent);
    return extents;
}

/// Fuses all groups again for A, B and D alone.
inline matrix_problem fused(matrix_problem problem) {
    constexpr std::array tensors{einsum_impl::A, einsum_impl::B, einsum_impl::D};
    for (auto *group : {&problem.batch, &problem.m, &problem.n, &problem.k}) {
        *group = einsum_impl::fuse(std::move(*group), tensors);
        for (einsum_impl::problem_mode &mode : *group)
            mode.stride[einsum_impl::C] = 0; // times the extent of fused modes it might not fit
    }
    return problem;
}

/// The problem as the tensors lie. Labels that stand in one input only are summed like contracted
/// ones, with stride 0 in the tensor that lacks them.
inline matrix_problem matrix_problem_of(const einsum_impl::contraction_problem &from) {
    matrix_problem problem{from.batch,
                           from.m,
                           from.n,
                           from.k,
                           from.type[einsum_impl::D],
                           from.conjugate[einsum_impl::A],
                           from.conjugate[einsum_impl::B],
                           {}};
    for (const auto *isolated : {&from.isolated_a, &from.isolated_b})
        problem.k.insert(problem.k.end(), isolated->begin(), isolated->end());
    return fused(std::move(problem));
}

} // namespace tenfold::contract_impl
