// Closed-shell CCSD over spatial orbitals.
//
// i j k l are occupied orbitals, a b c d virtual ones. Integrals stand in chemists' notation with
// virtual orbitals first: vvvo[a,d,c,k] = (ad|ck). T1[a,i] = t_i^a, T2[a,b,i,j] = t_ij^ab.
// A label of two letters is a pair a >= b or i >= j; names with p and m are combinations that are
// symmetric (p) and antisymmetric (m) in the pair (molecule.hpp, pairs.hpp).
//
// The one-electron intermediates are those of S. Hirata, R. Podeszwa, M. Tobita, R. J. Bartlett,
// J. Chem. Phys. 120, 2581 (2004); the terms with two virtual and two occupied orbitals are grouped
// as with T1-dressed integrals by H. Koch, O. Christiansen, P. Jorgensen, A. M. Sanchez de Meras,
// T. Helgaker, J. Chem. Phys. 106, 1808 (1997) and T. Helgaker, P. Jorgensen, J. Olsen, Molecular
// Electronic-Structure Theory (2000), section 13.7: two products of o^3 v^3 to form intermediates
// and two to apply them, where the equations as usually written have seven. The split of the
// particle-particle ladder into symmetric and antisymmetric pairs, a quarter of its work, is that
// of P. Saebo, P. Pulay, J. Chem. Phys. 86, 914 (1987); the hole-hole ladder is split alike.
//
// Of the ways to write a line that are equal by symmetry, those stand here whose operands lie on
// many ranks as the line wants them: of four modes the second virtual one is cut.
#include "equations.hpp"

namespace tenfold::ccsd {
namespace {

constexpr const char *setup[] = {
    "L[c,k,d,l]  = 2*vovo[c,k,d,l]",
    "L[c,k,d,l] -= vovo[d,k,c,l]",
    "Lo[c,l,k,i]  = 2*vooo[c,l,k,i]",
    "Lo[c,l,k,i] -= vooo[c,k,l,i]",
};

constexpr const char *residual[] = {
    // Combinations of amplitudes: tau = t_ij^ab + t_i^a t_j^b, u and w = 2 x_ij^ab - x_ij^ba.
    "tau[a,b,i,j]  = T2[a,b,i,j]",
    "tau[a,b,i,j] += T1[a,i]*T1[b,j]",
    "u[a,b,i,j]  = 2*T2[a,b,i,j]",
    "u[a,b,i,j] -= T2[a,b,j,i]",
    "w[a,b,i,j]  = 2*tau[a,b,i,j]",
    "w[a,b,i,j] -= tau[a,b,j,i]",
    "pack Tp, Tm = tau",

    // Integrals with one index dressed by T1.
    "M[c,k,l,i]  = vooo[c,k,l,i]",
    "M[c,k,l,i] += vovo[c,k,d,l]*T1[d,i]",
    "B1[a,i,c,k] = vvvo[a,d,c,k]*T1[d,i]",
    "B2[a,c,k,i] = vvvo[a,c,d,k]*T1[d,i]",

    // One-electron intermediates.
    "Fov[c,k]  = fvo[c,k]",
    "Fov[c,k] += L[c,k,d,l]*T1[d,l]",
    "Foo[k,i]  = foo[k,i]",
    "Foo[k,i] += vovo[c,k,d,l]*w[c,d,i,l]",
    "Fvv[a,c]  = fvv[a,c]",
    "Fvv[a,c] -= vovo[d,l,c,k]*w[a,d,k,l]",
    "Loo[k,i]  = Foo[k,i]",
    "Loo[k,i] += fvo[c,k]*T1[c,i]",
    "Loo[k,i] += Lo[c,l,k,i]*T1[c,l]",
    "Lvv[a,c]  = Fvv[a,c]",
    "Lvv[a,c] -= fvo[c,k]*T1[a,k]",
    "Lvv[a,c] += 2*B2[a,c,k,k]",
    "Lvv[a,c] -= B1[a,k,c,k]",

    // Singles.
    "R1[a,i]  = fvo[a,i]",
    "R1[a,i] += Fvv[a,c]*T1[c,i]",
    "R1[a,i] -= Foo[k,i]*T1[a,k]",
    "R1[a,i] += Fov[c,k]*u[a,c,i,k]",
    "G[c,k]  = Fov[c,k]",
    "G[c,k] -= 2*fvo[c,k]",
    "Q[k,i]   = G[c,k]*T1[c,i]",
    "R1[a,i] += Q[k,i]*T1[a,k]",
    "R1[a,i] += 2*vovo[c,k,a,i]*T1[c,k]",
    "R1[a,i] -= vvoo[a,c,k,i]*T1[c,k]",
    "R1[a,i] += vvvo[a,c,d,k]*w[c,d,i,k]",
    "R1[a,i] -= vooo[c,l,k,i]*w[a,c,k,l]",

    // Rings: K = (ac|ki) dressed, less half of t_il^da (lc|kd); D = 2 (ai|ck) - (ac|ki) dressed,
    // and
    // half of u_il^ad L_dlck.
    "K[a,c,k,i]  = vvoo[a,c,k,i]",
    "K[a,c,k,i] += B2[a,c,k,i]",
    "K[a,c,k,i] -= M[c,l,k,i]*T1[a,l]",
    "D[a,i,c,k]  = 2*vovo[a,i,c,k]",
    "D[a,i,c,k] += 2*B1[a,i,c,k]",
    "D[a,i,c,k] -= 2*M[c,k,l,i]*T1[a,l]",
    "D[a,i,c,k] -= K[a,c,k,i]",
    "D[a,i,c,k] += 0.5*u[a,d,i,l]*L[d,l,c,k]",
    "K[a,c,k,i] -= 0.5*T2[a,d,l,i]*vovo[d,k,c,l]",

    // Doubles: X is the half that is symmetrised with (ai) <-> (bj).
    "X[a,b,i,j]  = Lvv[a,c]*T2[c,b,i,j]",
    "X[a,b,i,j] -= Loo[k,i]*T2[a,b,k,j]",
    "X[a,b,i,j] += 0.5*D[a,i,c,k]*u[c,b,k,j]",
    "Z[a,b,i,j]  = K[a,c,k,i]*T2[c,b,j,k]",
    "X[a,b,i,j] -= 0.5*Z[a,b,i,j]",
    "X[a,b,i,j] -= Z[a,b,j,i]",
    "X[a,b,i,j] += B1[a,i,b,j]",
    "Y[a,k,i,j]  = M[a,i,k,j]",
    "Y[a,k,i,j] += vvoo[c,a,k,j]*T1[c,i]",
    "Y[a,k,i,j] += vvvo[a,c,d,k]*tau[c,d,i,j]",
    "X[a,b,i,j] -= Y[a,k,i,j]*T1[b,k]",
    "R2[a,b,i,j]  = vovo[a,i,b,j]",
    "R2[a,b,i,j] += X[a,b,i,j]",
    "R2[a,b,i,j] += X[b,a,j,i]",

    // Ladders, over pairs.
    "W[k,l,i,j]  = oooo[k,i,l,j]",
    "W[k,l,i,j] += vooo[c,l,k,i]*T1[c,j]",
    "W[k,l,i,j] += vooo[c,k,l,j]*T1[c,i]",
    "pack Wp, Wm = W, half the diagonal",
    "Wp[kl,ij] += Gp[cd,kl]*Tp[cd,ij]",
    "Wm[kl,ij] += Gm[cd,kl]*Tm[cd,ij]",
    "Pp[ab,ij]  = Vp[cd,ab]*Tp[cd,ij]",
    "Pp[ab,ij] += Tp[ab,kl]*Wp[kl,ij]",
    "Pm[ab,ij]  = Vm[cd,ab]*Tm[cd,ij]",
    "Pm[ab,ij] += Tm[ab,kl]*Wm[kl,ij]",
    "unpack R2 += Pp, Pm",
};

constexpr const char *energy[] = {
    "tau[a,b,i,j]  = T2[a,b,i,j]",
    "tau[a,b,i,j] += T1[a,i]*T1[b,j]",
    "E[]  = 2*fvo[a,i]*T1[a,i]",
    "E[] += L[a,i,b,j]*tau[a,b,i,j]",
};

} // namespace

equation_list setup_equations() { return setup; }
equation_list residual_equations() { return residual; }
equation_list energy_equations() { return energy; }

} // namespace tenfold::ccsd
