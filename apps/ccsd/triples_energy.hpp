// One triple i >= j >= k of (T).
#pragma once

#include <vector>

#include <tenfold/contract.hpp>

#include "apps/ccsd/kernels/triple_energy_kernels.hpp"
#include "apps/ccsd/triples_data.hpp"

namespace tenfold::ccsd {

/// The plans for all triples: immutable, and run by many threads at once.
class triple_plans {
public:
    triple_plans(index_t o, index_t v);

    /// Computes W_ijk^abc, all six terms of
    ///     W = P Z_ijk^abc,  Z_ijk^abc = (ia|bd) t_kj^cd - (jl|kc) t_il^ab
    /// (K. Raghavachari, G. W. Trucks, J. A. Pople, M. Head-Gordon, Chem. Phys. Lett. 157, 479
    /// (1989); closed-shell form of A. P. Rendell, T. J. Lee, A. Komornicki, ibid. 178, 462
    /// (1991)). `w` has v^3 elements, a fastest. Throws as execute() of a contraction does.
    void make_w(const triples_data &data, index_t i, index_t j, index_t k, double *w) const;

    /// For one thread.
    byte_count workspace_size() const noexcept;
    double flops_per_triple() const noexcept { return flops_; }

private:
    contraction_plan to_c_; ///< abc = A[a,b,x] B[x,c]
    contraction_plan to_b_; ///< abc = A[a,c,x] B[x,b]
    contraction_plan to_a_; ///< abc = A[b,c,x] B[x,a]
    double flops_ = 0;
};

/// The contribution of a triple to the energy; immutable and used by many threads at once.
class triple_energies {
public:
    explicit triple_energies(const molecule &system);

    /// The energy of all orders of i, j, k together. `w` has slack_behind_cube(v) readable elements
    /// behind its v^3 elements.
    double of_triple(const triples_data &data, index_t i, index_t j, index_t k,
                     const double *w) const;

private:
    const molecule &system_;
    std::vector<double> f_virtual_;
    triple_energy_kernel kernel_;
};

} // namespace tenfold::ccsd
