// How the passes of vector loops go, and the candidate that makes them. vector_loops.cpp chooses.
#pragma once

#include "contract/choose/candidate.hpp"
#include "contract/choose/matrix_problem.hpp"
#include "contract/products/kernels/vector_abi.hpp"
#include "contract/products/loop_leaves.hpp"

namespace tenfold::contract_impl {

/// The longest pass whose part of D stays in L1 during the sums; shorter ones are made several at
/// once.
inline constexpr index_t longest_pass = 1024;

/// The mode of a pass, and the modes of the loops around it.
struct vector_nest {
    einsum_impl::problem_mode inner;
    bool sums_inner = false;        ///< the pass is a dot product
    einsum_impl::problem_mode rows; ///< along which a call makes several passes
    index_t rows_at_once = 1;
    bool side_by_side = false;     ///< the elements of all rows take turns in A and in B
    einsum_impl::mode_group loops; ///< the other positions of D
    einsum_impl::mode_group sums;
    loop_leaves leaves{}; ///< of the sums
    double seconds = 0;
    int threads = 1;
};

/// The kernels for one of the types that have some.
const vector_kernels &select_vector_kernels(isa instruction_set, data_type type) noexcept;

candidate_ptr make_vector_nest(const matrix_problem &problem, vector_nest nest, const context &ctx);

} // namespace tenfold::contract_impl
