// Generated operands that are distributed over ranks, and their verification; for programs with the
// distributed part only.
#pragma once

#include <tenfold/dist.hpp>

#include "apps/common/generate.hpp"
#include "contract/reference/reference.hpp"

namespace tenfold::apps_impl {

/// Sets every element to the generated value of its position in the whole tensor. Collective.
template <class T> void fill_generated(dist_tensor<T> &tensor, std::uint64_t number) {
    const extents_t whole = tensor.extents();
    tensor.fill([&](const extents_t &offsets, tensor_view<T> block) {
        fill_block(number, whole, offsets, block);
    });
}

/// The expected value of a distributed result: alpha A B + beta C with generated operands.
struct made_up_contraction {
    contraction_spec spec;
    std::vector<data_type> types; ///< of the inputs; empty: that of D
    extents_t extents;            ///< by label
    scalar alpha = 1.0;           ///< includes the expression's own factor and sign
    scalar beta = 0.0;

    extents_t extents_of(const std::vector<label_t> &labels) const;
    data_type type_of_input(std::size_t number, data_type d) const {
        return types.empty() ? d : types[number];
    }
};

/// Recomputes `samples` elements of D. The rank that owns an element generates the operands again,
/// so that nothing is communicated but the verdict. Every rank returns the result of all ranks.
/// Collective.
template <class T> contract_impl::verification
verify_made_up(const made_up_contraction &problem, const dist_tensor<T> &d, index_t samples);

/// Returns on every rank the worst result of all ranks. Collective.
contract_impl::verification combine(const world &ranks, contract_impl::verification mine);

} // namespace tenfold::apps_impl
