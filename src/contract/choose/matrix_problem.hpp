// A contraction as matrix products: groups with strides in A, B and D only. TTGT moves tensors to
// get a new matrix problem, and GEMM inside loops solves one.
#pragma once

#include "contract/choose/cost_model.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

struct matrix_problem {
    einsum_impl::mode_group batch, m, n, k; ///< fused in A, B and D; C's strides are 0
    data_type type = data_type::f64;        ///< of D
    data_type inputs = data_type::f64;      ///< of A and B: D's, or one that is multiplied to it
    bool conjugate_a = false;
    bool conjugate_b = false;
    /// Elements of the whole tensors of which A, B and D are tiles; 0: they are not tiles.
    tensor_sizes whole;
};

/// The bytes of A, B and D that are in use.
inline double bytes_of_tensors(const einsum_impl::contraction_problem &problem) {
    double bytes = 0;
    for (const einsum_impl::tensor_id t : einsum_impl::all_but_c)
        bytes += real(problem.touched[t].size()) * real(size_of(problem.type[t]));
    return bytes;
}

/// The extents of the modes.
inline extents_t extents_of(const einsum_impl::mode_group &group) {
    extents_t extents;
    for (const einsum_impl::problem_mode &mode : group)
        extents.push_back(mode.extent);
    return extents;
}

/// Fuses all groups again, considering A, B and D only.
inline matrix_problem fused(matrix_problem problem) {
    constexpr std::array tensors{einsum_impl::A, einsum_impl::B, einsum_impl::D};
    for (auto *group : {&problem.batch, &problem.m, &problem.n, &problem.k}) {
        *group = einsum_impl::fuse(std::move(*group), tensors);
        for (einsum_impl::problem_mode &mode : *group)
            mode.stride[einsum_impl::C] = 0; // a product with extents may overflow
    }
    return problem;
}

/// The matrix problem of the tensors in place. Labels of one input only are summed like contracted
/// ones, with stride 0 in the other input.
inline matrix_problem matrix_problem_of(const einsum_impl::contraction_problem &from) {
    matrix_problem problem{from.batch,
                           from.m,
                           from.n,
                           from.k,
                           from.type[einsum_impl::D],
                           from.type[einsum_impl::A],
                           from.conjugate[einsum_impl::A],
                           from.conjugate[einsum_impl::B],
                           {}};
    for (const auto *isolated : {&from.isolated_a, &from.isolated_b})
        problem.k.insert(problem.k.end(), isolated->begin(), isolated->end());
    return fused(std::move(problem));
}

} // namespace tenfold::contract_impl
