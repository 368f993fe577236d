// The slow twin of contractions of many inputs: one loop nest over all labels, without path,
// intermediates or plans. Its time grows with the product of all extents.
#pragma once

#include <span>

#include <tenfold/operand.hpp>

#include "contract/reference/reference.hpp"

namespace tenfold::contract_impl {

/// Number of terms of one element of D, that is, positions of the labels that D lacks. Infinite if
/// a double overflows.
double terms_of_one_element(const contraction_spec &spec, std::span<const input> inputs);

/// D = alpha product of the inputs + beta op(C). `alpha` includes the expression's scalar; beta is
/// the one given here. The tensors must fit the expression and have data if they are read.
struct network_contraction {
    const contraction_spec &spec;
    std::span<const input> inputs;
    scalar alpha;
    scalar beta;
    const input &c;
};

/// Sums in a wider type. Repeated labels in D select its diagonal.
void reference_contract(const network_contraction &what, const output &d);

/// Like verify() of reference.hpp. The bound is (terms + 4 inputs) eps, times sqrt(2) for complex
/// numbers: intermediates are rounded too, but nested sums have no more additions than one sum over
/// all positions.
verification verify(const network_contraction &what, const input &d, index_t samples,
                    std::uint64_t seed);

} // namespace tenfold::contract_impl
