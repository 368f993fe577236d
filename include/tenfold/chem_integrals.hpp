// Integrals of a molecule over its orbitals, equal ones stored once, and dense blocks of them.
#pragma once

#include <utility>
#include <vector>

#include <tenfold/chem_pairs.hpp>
#include <tenfold/tensor.hpp>

namespace [[gnu::visibility("default")]] tenfold {
namespace chem {

/// Real integrals over spatial orbitals, numbered from 0, in chemists' notation
///     (pq|rs) = (qp|rs) = (pq|sr) = (rs|pq) = ...
/// Each set of eight equal integrals is stored once. Energies in hartree.
struct integrals {
    index_t orbitals = 0;
    index_t electrons = 0;
    index_t spin = 0;                 ///< twice the spin projection: unpaired electrons
    std::vector<index_t> symmetries;  ///< irreducible representations of orbitals; empty if unknown
    double constant = 0;              ///< nuclear repulsion, and a frozen core if any
    std::vector<double> one_electron; ///< h_pq at pair_index(p, q)
    std::vector<double> two_electron; ///< (pq|rs) at pair_index of the two pairs' indices
    std::vector<double> orbital_energies; ///< as in the file; empty unless it lists all

    /// Bytes of the numbers for so many orbitals, at most 4096.
    static constexpr index_t bytes_needed(index_t orbitals) noexcept {
        const index_t pairs = pair_count(orbitals);
        return (pair_count(pairs) + pairs + orbitals) * static_cast<index_t>(sizeof(double));
    }

    double h(index_t p, index_t q) const noexcept {
        return one_electron[static_cast<std::size_t>(pair_index(p, q))];
    }
    /// (pq|rs)
    double operator()(index_t p, index_t q, index_t r, index_t s) const noexcept {
        return two_electron[static_cast<std::size_t>(
            pair_index(pair_index(p, q), pair_index(r, s)))];
    }
};

/// Integrals over some orbitals in an order of the caller's, such as closed_shell::order: occupied
/// orbitals first, without frozen ones. Refers to the integrals, which must outlive it. Holds
/// orbitals^2 indices.
class ordered_integrals {
public:
    /// Orbital p is orbital order[p] of `all`. Throws errc::invalid_argument for one that `all`
    /// does not have.
    ordered_integrals(const integrals &all, std::vector<index_t> order);
    ordered_integrals(integrals &&all, std::vector<index_t> order) = delete;

    index_t orbitals() const noexcept { return static_cast<index_t>(order_.size()); }
    const std::vector<index_t> &order() const noexcept { return order_; }

    double h(index_t p, index_t q) const noexcept {
        return all_->one_electron[static_cast<std::size_t>(pairs_with(q)[p])];
    }
    /// (pq|rs)
    double operator()(index_t p, index_t q, index_t r, index_t s) const noexcept {
        return of_pairs(pairs_with(q)[p], pairs_with(s)[r]);
    }

    /// For loops that keep a pair: of_pairs(pairs_with(q)[p], pairs_with(s)[r]) is (pq|rs).
    const index_t *pairs_with(index_t q) const noexcept {
        return pairs_.data() + static_cast<std::size_t>(q) * order_.size();
    }
    double of_pairs(index_t pq, index_t rs) const noexcept {
        return all_->two_electron[static_cast<std::size_t>(pair_index(pq, rs))];
    }

    /// Fills a block of any strides, the first of whose elements stands for the orbitals `first`:
    ///     four modes   block(p,q,r,s) = (first[0]+p first[1]+q | first[2]+r first[3]+s)
    ///     two modes    block(p,q) = h(first[0]+p, first[1]+q)
    /// With o occupied and v virtual orbitals (ai|bj) is
    ///     g.write({o, 0, o, 0}, vovo);
    /// and the same of a distributed tensor, of which each rank fills its own part,
    ///     vovo.fill([&](const extents_t &at, tensor_view<double> block) {
    ///         g.write({o + at[0], at[1], o + at[2], at[3]}, block);
    ///     });
    /// Throws errc::order_mismatch for another number of modes or of `first`,
    /// errc::extent_mismatch for orbitals that there are not, and errc::null_pointer.
    void write(const extents_t &first, const tensor_view<double> &block) const;
    /// The same, as a new tensor: g.block({o, 0, o, 0}, {v, o, v, o}).
    tensor<double> block(const extents_t &first, const extents_t &extents) const {
        tensor<double> result(extents, uninitialized);
        write(first, result);
        return result;
    }

private:
    const integrals *all_;
    std::vector<index_t> order_;
    std::vector<index_t> pairs_; ///< pair_index(order[p], order[q]) at p + q * orbitals
};

} // namespace chem
} // namespace tenfold
