// Closed-shell CCSD over spatial orbitals.
//
// i j k l are occupied orbitals, a b c d virtual ones. Integrals are in chemists' notation with
// virtual orbitals first: vvvo[a,d,c,k] = (ad|ck). T1[a,i] = t_i^a, T2[a,b,i,j] = t_ij^ab. A label
// of two letters is a pair a >= b or i >= j; names with p and m are combinations that are symmetric
// (p) and antisymmetric (m) in the pair (molecule.hpp, pairs.hpp).
//
// The one-electron intermediates are those of S. Hirata, R. Podeszwa, M. Tobita, R. J. Bartlett, J.
// Chem. Phys. 120, 2581 (2004). The terms with two virtual and two occupied orbitals are grouped as
// with T1-dressed integrals by H. Koch, O. Christiansen, P. Jorgensen, A. M. Sanchez de Meras, T.
// Helgaker, J. Chem. Phys. 106, 1808 (1997) and T. Helgaker, P. Jorgensen, J. Olsen, Molecular
// Electronic-Structure Theory (2000), section 13.7. This takes two products of o^3 v^3 to form
// intermediates and two to apply them; the equations as usually written have seven. The
// particle-particle ladder is split into symmetric and antisymmetric pairs, a quarter of its work,
// as by P. Saebo, P. Pulay, J. Chem. Phys. 86, 914 (1987); the hole-hole ladder is split in the
// same way.
//
// A line can often be written in several ways that are equal by symmetry. These lines use the form
// in which a rank has all data for its part of the output (placement.hpp): tensors of four modes
// are distributed along the last virtual one, a or b below, and the operands that are summed over
// are whole. Names with _all are copies of distributed tensors on each rank.
#include "apps/ccsd/equations.hpp"

namespace tenfold::ccsd {
namespace {

constexpr const char *setup[] = {
    "L[c,k,d,l]  = 2*vovo[c,k,d,l]",
    "L[c,k,d,l] -= vovo[d,k,c,l]",
    "Lo[c,l,k,i]  = 2*vooo[c,l,k,i]",
    "Lo[c,l,k,i] -= vooo[c,k,l,i]",
};

constexpr const char *residual[] = {
    // The energy's lines have made these combinations of amplitudes: tau = t_ij^ab + t_i^a t_j^b,
    // u[a,i,b,j] = 2 t_ij^ab - t_ij^ba.
    "pack Tp, Tm = tau",

    // Partial results that all ranks need come first, one after the other, so that ranks wait only
    // once.
    "Fov_part[c,k]  = L[c,k,d,l]*T1_all[d,l]",
    "Foo_part[k,i] = L[c,k,d,l]*tau[c,d,i,l]",
    "Hp[kl,ij]  = Gp[cd,kl]*Tp[cd,ij]",
    "Hm[kl,ij]  = Gm[cd,kl]*Tm[cd,ij]",
    "gather Fov = Fov_part",
    "gather Foo = Foo_part",
    "gather Hp_all = Hp",
    "gather Hm_all = Hm",

    // Integrals with one index dressed by T1: B1 = (ai|ck), B2 = (ac|ki) without their bare parts.
    "M[c,k,l,i]  = vooo[c,k,l,i]",
    "M[c,k,l,i] += vovo[c,k,d,l]*T1_all[d,i]",
    "B1[c,k,a,i] = vvvo[d,a,c,k]*T1_all[d,i]",
    "B2[c,a,k,i] = vvvo[c,a,d,k]*T1_all[d,i]",

    // One-electron intermediates.
    "Fov[c,k] += fvo[c,k]",
    "Foo[k,i] += foo[k,i]",
    "Fvv[c,a]  = fvv[c,a]",
    "Fvv[c,a] -= L[c,k,d,l]*tau[d,a,l,k]",
    "Loo[k,i]  = Foo[k,i]",
    "Loo[k,i] += fvo[c,k]*T1_all[c,i]",
    "Loo[k,i] += Lo[c,l,k,i]*T1_all[c,l]",
    "Lvv[c,a]  = Fvv[c,a]",
    "Lvv[c,a] -= fvo[c,k]*T1_all[a,k]",
    "Lvv[c,a] += 2*B2[c,a,k,k]",
    "Lvv[c,a] -= B1[c,k,a,k]",

    // Singles. Y starts with the terms that the singles need.
    "Y[a,k,i,j]  = vvvo[c,a,d,k]*tau[c,d,i,j]",
    "R1[a,i]  = fvo[a,i]",
    "R1[a,i] += Fvv[c,a]*T1_all[c,i]",
    "R1[a,i] -= Foo[k,i]*T1_all[a,k]",
    "R1[a,i] += Fov[c,k]*u[c,k,a,i]",
    "G[c,k]  = Fov[c,k]",
    "G[c,k] -= 2*fvo[c,k]",
    "Q[k,i]   = G[c,k]*T1_all[c,i]",
    "R1[a,i] += Q[k,i]*T1_all[a,k]",
    "R1[a,i] += 2*vovo[c,k,a,i]*T1_all[c,k]",
    "R1[a,i] -= vvoo[c,a,k,i]*T1_all[c,k]",
    "R1[a,i] += 2*Y[a,k,i,k]",
    "R1[a,i] -= Y[a,k,k,i]",
    "R1[a,i] -= Lo[c,l,k,i]*tau[c,a,l,k]",

    // Rings: K = dressed (ac|ki) less half of t_il^da (lc|kd); D = 2 (ai|ck) - (ac|ki), dressed,
    // plus half of u_il^ad L_dlck.
    "K[c,a,k,i]  = vvoo[c,a,k,i]",
    "K[c,a,k,i] += B2[c,a,k,i]",
    "K[c,a,k,i] -= M[c,l,k,i]*T1_all[a,l]",
    "D[c,k,a,i]  = 2*vovo[c,k,a,i]",
    "D[c,k,a,i] += 2*B1[c,k,a,i]",
    "D[c,k,a,i] -= 2*M[c,k,l,i]*T1_all[a,l]",
    "D[c,k,a,i] -= K[c,a,k,i]",
    "D[c,k,a,i] += 0.5*L[c,k,d,l]*u[d,l,a,i]",
    "K[c,a,k,i] -= 0.5*vovo[d,k,c,l]*T2[d,a,i,l]",

    // Doubles: X is the half that is symmetrised with (ai) <-> (bj).
    "X[a,b,i,j]  = T2_all[a,c,i,j]*Lvv[c,b]",
    "X[a,b,i,j] -= Loo[k,i]*T2[a,b,k,j]",
    "X[a,b,i,j] += 0.5*u[c,k,a,i]*D[c,k,b,j]",
    "Z[a,b,i,j]  = T2_all[c,a,i,k]*K[c,b,k,j]",
    "X[a,b,i,j] -= 0.5*Z[a,b,i,j]",
    "X[a,b,i,j] -= Z[a,b,j,i]",
    "X[a,b,i,j] += B1[a,i,b,j]",
    "Y[a,k,i,j] += M[a,i,k,j]",
    "Y[a,k,i,j] += vvoo[c,a,k,j]*T1_all[c,i]",
    "X[a,b,i,j] -= Y[b,k,j,i]*T1_all[a,k]",
    "R2[a,b,i,j]  = vovo[a,i,b,j]",
    "R2[a,b,i,j] += X[a,b,i,j]",

    // Ladders, over pairs. V is read along ab: with few occupied pairs it is read once, without
    // packing.
    "W[k,l,i,j]  = oooo[k,i,l,j]",
    "W[k,l,i,j] += vooo[c,l,k,i]*T1_all[c,j]",
    "W[k,l,i,j] += vooo[c,k,l,j]*T1_all[c,i]",
    "pack Wp, Wm = W, half the diagonal",
    "Wp[kl,ij] += Hp_all[kl,ij]",
    "Wm[kl,ij] += Hm_all[kl,ij]",
    "Pp[ab,ij]  = Vp[ab,cd]*Tp[cd,ij]",
    "Pp[ab,ij] += Tp[ab,kl]*Wp[kl,ij]",
    "Pm[ab,ij]  = Vm[ab,cd]*Tm[cd,ij]",
    "Pm[ab,ij] += Tm[ab,kl]*Wm[kl,ij]",
    "flip R2 += X",
    "unpack R2 += Pp, Pm through Tp, Tm",
};

constexpr const char *energy[] = {
    "gather T1_all = T1", "gather T2_all = T2",
    "combine amplitudes", "Ev[b] = L[a,i,b,j]*tau[a,b,i,j]",
    "gather Ev_all = Ev", "E[]  = 2*fvo[a,i]*T1_all[a,i]",
    "E[] += Ev_all[b]",
};

/// The energy of pairs of opposite spins.
constexpr const char *opposite_spin[] = {
    "Eo_part[b] = vovo[a,i,b,j]*tau[a,b,i,j]",
    "gather Eo_all = Eo_part",
    "Eo[] = Eo_all[b]",
};

} // namespace

equation_list setup_equations() { return setup; }
equation_list residual_equations() { return residual; }
equation_list energy_equations() { return energy; }
equation_list opposite_spin_equations() { return opposite_spin; }

} // namespace tenfold::ccsd
