// The Ising chain in a transverse field, with open ends: H = - sum Z_i Z_i+1 - field sum X_i, and
// its exact energies, which need no tensors.
#pragma once

#include "apps/examples/example.hpp"

namespace tenfold::examples {

struct ising_chain {
    index_t sites = 16;
    double field = 1.0; ///< critical at 1; above 1 there is a gap at any length
};

/// The matrix product operator of H: W(v, w, s, t), the same on every site. v and w are the bonds
/// to the left and the right (extent 3), s and t the spin after and before. H is the product from v
/// = first_bond at the left end to w = last_bond at the right end.
tensor<double> operator_of(const ising_chain &chain);
constexpr index_t first_bond = 0, last_bond = 2, operator_bonds = 3;

/// The lowest energy and the next one. The chain is equivalent to free fermions (Pfeuty, Ann. Phys.
/// 57, 79, 1970; Lieb, Schultz, Mattis, Ann. Phys. 16, 407, 1961): with s_k the singular values of
/// the matrix with the field on its diagonal and ones above it, the lowest energy is - sum s_k, and
/// one fermion adds 2 s_k.
struct lowest_energies {
    double ground, next;
};
lowest_energies exact_energies(const ising_chain &chain);

/// Returns H times a vector of 2^sites elements; spin i is bit i of the position.
std::vector<double> apply(const ising_chain &chain, const std::vector<double> &state);

} // namespace tenfold::examples
