// The slow twin of contractions of many inputs: all loops of the expression in one nest, without
// order, intermediates or plans. What it costs grows with the product of all extents.
#pragma once

#include <span>

#include <tenfold/operand.hpp>

#include "contract/reference/reference.hpp"

namespace tenfold::contract_impl {

/// The terms of one element of D: positions of all labels that D lacks. Infinite beyond double.
double terms_of_one_element(const contraction_spec &spec, std::span<const input> inputs);

/// D = alpha product of the inputs + beta op(C), summed in a wider type. `alpha` includes the
/// expression's factor, beta is what is given here. The tensors fit the expression and have data
/// where that is read. Repeated labels in D mean its diagonal.
void reference_contract(const contraction_spec &spec, std::span<const input> inputs, scalar alpha,
                        scalar beta, const input &c, const output &d);

/// As verify() of reference.hpp. The bound is (terms + 4 inputs) eps, sqrt(2) times that for
/// complex numbers: intermediates are rounded too, but sums of sums have no more additions than one
/// sum over all positions.
verification verify(const contraction_spec &spec, std::span<const input> inputs, scalar alpha,
                    scalar beta, const input &c, const input &d, index_t samples,
                    std::uint64_t seed);

} // namespace tenfold::contract_impl
