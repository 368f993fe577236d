// What all ranks know of a molecule, and its integrals as distributed tensors.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fcidump.hpp"
#include "reference.hpp"
#include "tensor_set.hpp"

namespace tenfold::ccsd {

/// Orbitals from 0: active occupied ones first, then virtual ones; frozen ones are left out.
struct molecule {
    index_t orbitals = 0; ///< of the file
    index_t occupied = 0; ///< of the file, frozen ones included
    index_t frozen = 0;
    double constant = 0;              ///< hartree, as all energies
    double hf_energy = 0;             ///< constant included
    double largest_coupling = 0;      ///< largest |f_ia|
    std::vector<double> fock;         ///< over active orbitals, column-major
    std::uint64_t integrals_hash = 0; ///< of all that the file says; the same for the same numbers

    index_t o() const noexcept { return occupied - frozen; }
    index_t v() const noexcept { return orbitals - occupied; }
    index_t active() const noexcept { return orbitals - frozen; }
    /// Between active orbitals.
    double f(index_t p, index_t q) const noexcept {
        return fock[static_cast<std::size_t>(p + q * active())];
    }
    double f_occupied(index_t i) const noexcept { return f(i, i); }
    double f_virtual(index_t a) const noexcept { return f(o() + a, o() + a); }
};

/// Which blocks a method needs.
enum class block_choice : std::uint8_t { pair_energies, all };

/// Names and extents of the tensors that molecule_source::make_blocks() makes, in its order.
std::vector<std::pair<std::string, extents_t>> block_extents(index_t o, index_t v,
                                                             block_choice choice);

/// Elements of the buffer through which the root fills a tensor.
index_t fill_buffer_elements(const extents_t &extents);

/// The rank that reads files.
constexpr int root = 0;

/// Integrals and reference on the root, and what all ranks share of them.
class molecule_source {
public:
    /// Collective. The root reads `path`; throws usage_error, on all ranks, where it cannot. At
    /// most the occupied orbitals are frozen.
    molecule_source(const world &ranks, const std::string &path, index_t frozen);

    const molecule &shared() const noexcept { return shared_; }

    /// Collective. Creates foo, fvo, fvv and, in chemists' notation, vovo[a,i,b,j] = (ai|bj);
    /// for `all` also oooo, vooo, vvoo, vvvo, named alike, and over pairs c >= d, k >= l
    ///     Vp, Vm[ab,cd] = (ac|bd) +- (ad|bc), halved in Vp where c = d,
    ///     Gp, Gm[cd,kl] = (kc|ld) +- (kd|lc), halved where c = d, and again where k = l.
    void make_blocks(tensor_set &tensors, block_choice choice) const;

private:
    molecule shared_;
    integral_list list_;          ///< on the root
    std::vector<index_t> active_; ///< on the root: the file's number of each active orbital
};

} // namespace tenfold::ccsd
