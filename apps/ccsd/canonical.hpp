// Semi-canonical orbitals. MP2 and (T) in their usual form need diagonal f_ij and f_ab.
#pragma once

#include <string>
#include <vector>

#include "apps/ccsd/amplitudes.hpp"
#include "apps/ccsd/molecule.hpp"
#include "apps/ccsd/tensor_set.hpp"

namespace tenfold::ccsd {

/// Eigenvectors (columns, column-major) and eigenvalues (ascending) of a symmetric n x n matrix, by
/// Jacobi rotations; O(n^3) for each of a few sweeps.
struct eigen_system {
    std::vector<double> values;
    std::vector<double> vectors;
};
eigen_system diagonalise(std::vector<double> matrix, index_t n);

/// Returns whether no off-diagonal f_ij or f_ab exceeds 1e-10 hartree.
bool is_canonical(const molecule &system);

/// Rotations among occupied and among virtual orbitals that make both blocks of the Fock matrix
/// diagonal.
class semi_canonical {
public:
    /// Collective. Creates the rotations Uo, Uv.
    semi_canonical(tensor_set &tensors, const molecule &system);
    ~semi_canonical();
    semi_canonical(const semi_canonical &) = delete;
    semi_canonical &operator=(const semi_canonical &) = delete;

    /// The molecule in these orbitals: its Fock matrix is diagonal and holds the orbital energies.
    const molecule &system() const noexcept { return system_; }

    /// Collective. Rotates each mode; `classes` names the class of each, 'o' or 'v', as in "vvvo".
    void rotate(const std::string &name, const std::string &classes);

private:
    tensor_set &tensors_;
    molecule system_;
};

/// Collective. Returns the MP2 correlation energy without singles, from vovo, for any orbitals.
spin_parts mp2_energy(tensor_set &tensors, const molecule &system);
/// The lines of mp2_energy() that make scalars of amplitudes and integrals.
constexpr const char *mp2_energy_lines[] = {
    "mp2_opposite[] = mp2_vovo[a,i,b,j]*mp2_T2[a,b,i,j]",
    "mp2_exchange[] = mp2_vovo[b,i,a,j]*mp2_T2[a,b,i,j]",
};

} // namespace tenfold::ccsd
