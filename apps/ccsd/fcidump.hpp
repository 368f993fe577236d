// FCIDUMP files: the integrals of a molecule over its orbitals, as quantum chemistry programs
// exchange them (P. J. Knowles, N. C. Handy, Comput. Phys. Commun. 54, 75 (1989)).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tenfold/types.hpp>

namespace tenfold::ccsd {

/// A symmetric pair (p, q) = (q, p) as one number; p, q from 0.
inline index_t pair_index(index_t p, index_t q) noexcept {
    return p >= q ? p * (p + 1) / 2 + q : q * (q + 1) / 2 + p;
}
/// How many pairs p >= q there are.
inline index_t pair_count(index_t n) noexcept { return n * (n + 1) / 2; }

/// Real integrals over spatial orbitals, numbered from 0, in chemists' notation
///     (pq|rs) = (qp|rs) = (pq|sr) = (rs|pq) = ...
/// each of eight equal ones once. Energies in hartree.
struct integral_list {
    index_t orbitals = 0;
    index_t electrons = 0;
    double constant = 0;                  ///< nuclear repulsion, and a frozen core if any
    std::vector<double> one_electron;     ///< h_pq at pair_index(p, q)
    std::vector<double> two_electron;     ///< (pq|rs) at pair_index of the pairs' indices
    std::vector<double> orbital_energies; ///< as the file lists them; empty unless for all

    /// Bytes of the list for so many orbitals.
    static index_t bytes_needed(index_t orbitals) noexcept {
        const index_t pairs = pair_count(orbitals);
        return (pair_count(pairs) + pairs + orbitals) * static_cast<index_t>(sizeof(double));
    }

    double h(index_t p, index_t q) const noexcept {
        return one_electron[static_cast<std::size_t>(pair_index(p, q))];
    }
    double operator()(index_t p, index_t q, index_t r, index_t s) const noexcept {
        return two_electron[static_cast<std::size_t>(
            pair_index(pair_index(p, q), pair_index(r, s)))];
    }
};

/// What the header says.
struct fcidump_header {
    index_t orbitals = 0;  ///< NORB
    index_t electrons = 0; ///< NELEC
};
/// Reads the header only. Throws as read_fcidump().
fcidump_header read_fcidump_header(const std::string &path);

/// Reads an FCIDUMP, plain or compressed by gzip or xz. Integrals that the file leaves out are 0;
/// those it lists twice have to agree to 1e-6 hartree, and the last one counts. Throws usage_error
/// that names file, line and what was expected.
integral_list read_fcidump(const std::string &path);

} // namespace tenfold::ccsd
