#include "apps/ccsd/combinations.hpp"

#include <tenfold/context.hpp>

#include "base/parallel.hpp"

namespace tenfold::ccsd {
namespace {

/// The operands for a pair of occupied orbitals i >= j; each array has v^2 elements, dense.
struct pair_operands {
    index_t v;
    const double *t_ij, *t_ji; ///< t_ij^ab at [a,b]
    const double *t_i, *t_j;   ///< t_i^a
    double *tau_ij, *tau_ji;
    double *u_ij, *u_ji; ///< u_ij^ab at [a,b], columns of b `u_stride` apart
    index_t u_stride;
};

void combine_pair(const pair_operands &x) {
    for (index_t b = 0; b < x.v; ++b) {
        const double t_ib = x.t_i[b];
        const double t_jb = x.t_j[b];
        const index_t column = b * x.v;
        double *u_ij = x.u_ij + b * x.u_stride;
        double *u_ji = x.u_ji + b * x.u_stride;
#pragma GCC ivdep // for i = j both orders are the same array and get the same numbers
        for (index_t a = 0; a < x.v; ++a) {
            const index_t ab = column + a;
            const double ij = x.t_ij[ab];
            const double ji = x.t_ji[ab];
            x.tau_ij[ab] = ij + x.t_i[a] * t_jb;
            x.tau_ji[ab] = ji + x.t_j[a] * t_ib;
            u_ij[a] = 2 * ij - ji;
            u_ji[a] = 2 * ji - ij;
        }
    }
}

} // namespace

bool combines_at_once(const placement &where) {
    return (where.ranks() == 1 || where.replicates("T2_all")) &&
           !context::global().settings().reproducible;
}

void combine_amplitudes(tensor_set &tensors) {
    if (!combines_at_once(tensors.where())) {
        for (const char *line : combination_lines)
            tensors.run(line);
        return;
    }
    const dist_tensor<double> &t1 = tensors["T1_all"];
    const dist_tensor<double> &t2 = tensors["T2_all"];
    double *tau = tensors.create("tau", t2.extents()).data();
    const index_t v = t1.extents()[0];
    const index_t o = t1.extents()[1];
    double *u = tensors.create("u", {v, o, v, o}).data();
    // Reads both orders of a pair while they are in a cache.
    base::run_parallel(tensors.ranks().threads(), [&](base::team_member me) {
        for (index_t i = me.id(); i < o; i += me.size())
            for (index_t j = 0; j <= i; ++j) {
                const index_t ij = v * v * (i + o * j);
                const index_t ji = v * v * (j + o * i);
                combine_pair({v, t2.data() + ij, t2.data() + ji, t1.data() + v * i,
                              t1.data() + v * j, tau + ij, tau + ji, u + v * (i + o * v * j),
                              u + v * (j + o * v * i), v * o});
            }
    });
}

} // namespace tenfold::ccsd
