// The interface to the energy of one triple of (T): one kernel per instruction set. Kernel sources
// include only this header and intrinsics.
#pragma once

#include <stdint.h>

namespace tenfold::ccsd {

/// The side of a tile. Kernels work on tiles of up to so many virtual orbitals per side, and read
/// past the v-th element of each mode without using what they read.
constexpr int64_t triple_padding = 8;
/// Elements that must be readable behind an array of v, v^2 or v^3 elements.
constexpr int64_t slack_behind_vector(int64_t) { return triple_padding; }
constexpr int64_t slack_behind_matrix(int64_t v) { return triple_padding * (v + 1); }
constexpr int64_t slack_behind_cube(int64_t v) { return triple_padding * (v * v + v + 1); }

/// Arrays over virtual orbitals, the first index fastest. The slack behind them holds any finite
/// numbers.
struct triple_operands {
    int64_t v;
    const double *w;                           ///< W_abc
    const double *t_i, *t_j, *t_k;             ///< t_i^a
    const double *ij, *ji, *ik, *ki, *jk, *kj; ///< (ai|bj) at [a,b] for ij
    const double *f_virtual;                   ///< f_aa
    double f_occupied;                         ///< f_ii + f_jj + f_kk
};

/// Returns the sum over abc of V_abc [4 W_abc + W_bca + W_cab - 2 (W_cba + W_acb + W_bac)], where V
/// = (W + S) / D and S_abc = t_i^a (jb|kc) + t_j^b (ia|kc) + t_k^c (ia|jb).
using triple_energy_kernel = double (*)(const triple_operands &);

} // namespace tenfold::ccsd
