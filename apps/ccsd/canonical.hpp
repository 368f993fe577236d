// Semi-canonical orbitals: MP2 and (T) in their usual form want f_ij and f_ab diagonal.
#pragma once

#include <string>
#include <vector>

#include "apps/ccsd/molecule.hpp"
#include "apps/ccsd/spin_parts.hpp"
#include "apps/ccsd/tensor_set.hpp"

namespace tenfold::ccsd {

/// Eigenvectors (columns, column-major) and eigenvalues, ascending, of a symmetric n x n matrix, by
/// Jacobi's rotations; O(n^3) for each of a few sweeps.
struct eigen_system {
    std::vector<double> values;
    std::vector<double> vectors;
};
eigen_system diagonalise(std::vector<double> matrix, index_t n);

/// Whether no f_ij or f_ab apart from the diagonal exceeds 1e-10 hartree.
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

    /// With the orbital energies on the diagonal of its Fock matrix, which holds nothing else.
    const molecule &system() const noexcept { return system_; }

    /// Collective. Rotates each mode; `classes` says what it is, 'o' or 'v', as in "vvvo".
    void rotate(const std::string &name, const std::string &classes);

private:
    tensor_set &tensors_;
    molecule system_;
};

/// Collective. The MP2 correlation energy, from vovo, whatever the orbitals; without singles.
spin_parts mp2_energy(tensor_set &tensors, const molecule &system);
/// The lines of it that make scalars of amplitudes and integrals.
constexpr const char *mp2_energy_lines[] = {
    "mp2_opposite[] = mp2_vovo[a,i,b,j]*mp2_T2[a,b,i,j]",
    "mp2_exchange[] = mp2_vovo[b,i,a,j]*mp2_T2[a,b,i,j]",
};

} // namespace tenfold::ccsd
