// The Ising chain in a transverse field, with open ends: H = - sum Z_i Z_i+1 - field sum X_i, and
// what is known of it without tensors.
#pragma once

#include "apps/examples/example.hpp"

namespace tenfold::examples {

struct ising_chain {
    index_t sites = 16;
    double field = 1.0; ///< 1: where the chain is critical; above, it has a gap at any length
};

/// One site of H as a product of matrices: W(v, w, s, t), the same one everywhere. v and w are the
/// bonds to the left and the right (3), s and t the spin after and before. H is the product from
/// v = first_bond on the left end to w = last_bond on the right.
tensor<double> operator_of(const ising_chain &chain);
constexpr index_t first_bond = 0, last_bond = 2, operator_bonds = 3;

/// The lowest energy and the next one. The chain is that of free fermions (Pfeuty, Ann. Phys. 57,
/// 79, 1970; Lieb, Schultz, Mattis, Ann. Phys. 16, 407, 1961): with s_k the singular values of the
/// matrix with the field on its diagonal and ones above it, the lowest energy is - sum s_k, and 2
/// s_k is what one fermion adds.
struct lowest_energies {
    double ground, next;
};
lowest_energies exact_energies(const ising_chain &chain);

/// H times a vector of 2^sites elements, spin i being bit i of the position.
std::vector<double> apply(const ising_chain &chain, const std::vector<double> &state);

} // namespace tenfold::examples
