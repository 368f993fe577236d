// The data of a molecule that all ranks have, and its integrals as distributed tensors.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenfold/chem_integrals.hpp>

#include "apps/ccsd/tensor_set.hpp"

namespace tenfold::ccsd {

/// Orbitals count from 0: active occupied ones first, then virtual ones; frozen ones are left out.
struct molecule {
    index_t orbitals = 0; ///< in the file
    index_t occupied = 0; ///< in the file, including frozen ones
    index_t frozen = 0;
    double constant = 0;         ///< hartree, like all energies
    double hf_energy = 0;        ///< including the constant
    double largest_coupling = 0; ///< largest |f_ia|
    std::vector<double> fock;    ///< over active orbitals, column-major
    std::vector<index_t> places; ///< of active orbitals in the file, from 0
    /// Hash of all numbers of the file; 0 if it was not asked for.
    std::uint64_t integrals_hash = 0;

    index_t o() const noexcept { return occupied - frozen; }
    index_t v() const noexcept { return orbitals - occupied; }
    index_t active() const noexcept { return orbitals - frozen; }
    /// An element of the Fock matrix between active orbitals.
    double f(index_t p, index_t q) const noexcept {
        return fock[static_cast<std::size_t>(p + q * active())];
    }
    index_t file_orbital(index_t p) const noexcept { return places[static_cast<std::size_t>(p)]; }
    double f_occupied(index_t i) const noexcept { return f(i, i); }
    double f_virtual(index_t a) const noexcept { return f(o() + a, o() + a); }
    /// Whether f_ia is negligible. MP2 and (T) neglect the terms in f_ia: singles, and some terms
    /// of (T).
    bool is_hartree_fock() const noexcept { return largest_coupling <= 1e-6; }
};

/// The blocks of integrals that a method needs.
enum class block_choice : std::uint8_t { pair_energies, all };

/// Names and extents of the tensors that molecule_source::make_blocks() makes, in its order.
std::vector<std::pair<std::string, extents_t>> block_extents(index_t o, index_t v,
                                                             block_choice choice);

/// Elements of the buffer through which the root fills a tensor.
index_t fill_buffer_elements(const extents_t &extents);

/// The rank that reads files.
constexpr int root = 0;

/// The file to read, and how to read it.
struct reading {
    std::string path;
    index_t frozen = 0; ///< at most the occupied orbitals
    /// True: each rank holds the list of integrals and makes its own parts of tensors. False: the
    /// root makes all parts and sends them.
    bool everywhere = false;
    bool hashes = false; ///< else integrals_hash is 0
};

/// Integrals and reference, on the root or on each rank, and the data that all ranks have.
class molecule_source {
public:
    /// Collective. Throws usage_error on all ranks if the file cannot be read.
    molecule_source(const world &ranks, const reading &how);

    const molecule &shared() const noexcept { return shared_; }
    /// On ranks that have no list, its sizes only.
    const chem::integrals &list() const noexcept { return list_; }

    /// Collective. Creates foo, fvo, fvv and, in chemists' notation, vovo[a,i,b,j] = (ai|bj);
    /// for `all` also oooo, vooo, vvoo, vvvo, named in the same way, and over pairs c >= d, k >= l
    ///     Vp, Vm[ab,cd] = (ac|bd) +- (ad|bc), halved in Vp where c = d,
    ///     Gp, Gm[cd,kl] = (kc|ld) +- (kd|lc), halved where c = d, and again where k = l.
    void make_blocks(tensor_set &tensors, block_choice choice) const;

private:
    molecule shared_;
    bool everywhere_;
    chem::integrals list_;
};

} // namespace tenfold::ccsd
