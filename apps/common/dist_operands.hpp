// Made-up operands spread over ranks, and their verification; for programs with the distributed
// part only.
#pragma once

#include <tenfold/dist.hpp>

#include "apps/common/generate.hpp"
#include "contract/reference/reference.hpp"

namespace tenfold::apps_impl {

/// Gives every element the generated value of its position in the whole tensor. Collective.
template <class T> void fill_generated(dist_tensor<T> &tensor, std::uint64_t number) {
    const extents_t whole = tensor.extents();
    tensor.fill([&](const extents_t &offsets, tensor_view<T> block) {
        fill_block(number, whole, offsets, block);
    });
}

/// What a distributed result is compared with: alpha A B + beta C, the operands made up.
struct made_up_contraction {
    contraction_spec spec;
    extents_t extents;  ///< by label
    scalar alpha = 1.0; ///< the expression's own factor and sign included
    scalar beta = 0.0;

    extents_t extents_of(const std::vector<label_t> &labels) const;
};

/// Recomputes `samples` elements of D, each on the rank that owns it from operands that are made
/// up again, without communication; the result of all ranks on every rank. Collective.
template <class T> contract_impl::verification
verify_made_up(const made_up_contraction &problem, const dist_tensor<T> &d, index_t samples);

/// The worst of all ranks' findings on every rank. Collective.
contract_impl::verification combine(MPI_Comm comm, contract_impl::verification mine);

} // namespace tenfold::apps_impl
