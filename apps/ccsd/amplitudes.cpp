#include "apps/ccsd/amplitudes.hpp"

#include <cmath>

#include <tenfold/context.hpp>
#include <tenfold/dist_operations.hpp>

#include "apps/ccsd/equations.hpp"
#include "apps/ccsd/pairs.hpp"

namespace tenfold::ccsd {
namespace {

/// Calls update(element's place in the local block, denominator) for each local element of X[a,i]
/// or X[a,b,i,j]; adds `shift` to the energy of each virtual orbital.
template <class Update> void for_each_denominator(const dist_tensor<double> &x,
                                                  const molecule &system, double shift,
                                                  Update &&update) {
    const auto f_virtual = [&](index_t a) { return system.f_virtual(a) + shift; };
    slice box = x.local_slice();
    if (box.empty())
        return;
    if (box.offsets.size() == 2) {
        for (index_t i = 0, at = 0; i < box.extents[1]; ++i)
            for (index_t a = 0; a < box.extents[0]; ++a, ++at)
                update(at, system.f_occupied(box.offsets[1] + i) - f_virtual(box.offsets[0] + a));
        return;
    }
    index_t at = 0;
    for (index_t j = 0; j < box.extents[3]; ++j)
        for (index_t i = 0; i < box.extents[2]; ++i) {
            const double ij =
                system.f_occupied(box.offsets[2] + i) + system.f_occupied(box.offsets[3] + j);
            for (index_t b = 0; b < box.extents[1]; ++b) {
                const double ijb = ij - f_virtual(box.offsets[1] + b);
                for (index_t a = 0; a < box.extents[0]; ++a, ++at)
                    update(at, ijb - f_virtual(box.offsets[0] + a));
            }
        }
}

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

void first_amplitudes(tensor_set &tensors, const molecule &system) {
    const index_t o = system.o();
    const index_t v = system.v();
    tensors.create("T1", {v, o}).fill(0.0);
    tensors.run("T2[a,b,i,j] = vovo[a,i,b,j]");
    divide_by_denominators(tensors["T2"], system);
}

void divide_by_denominators(dist_tensor<double> &x, const molecule &system) {
    double *elements = x.data();
    for_each_denominator(x, system, 0, [elements](index_t at, double d) { elements[at] /= d; });
}

void update_amplitudes(tensor_set &tensors, const molecule &system, double level_shift) {
    for (const char *order : {"1", "2"}) {
        dist_tensor<double> &amplitudes = tensors[std::string("T") + order];
        double *t = amplitudes.data();
        double *r = tensors[std::string("R") + order].data();
        for_each_denominator(amplitudes, system, level_shift, [t, r](index_t at, double d) {
            r[at] /= d;
            t[at] += r[at];
        });
    }
}

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
    const index_t v = tensors.extents_of("T1_all")[0];
    const index_t o = tensors.extents_of("T1_all")[1];
    tensors.make("tau", {v, v, o, o});
    tensors.make("u", {v, o, v, o});
    if (tensors.is_dry())
        return;
    const dist_tensor<double> &t1 = tensors["T1_all"];
    const dist_tensor<double> &t2 = tensors["T2_all"];
    double *tau = tensors["tau"].data();
    double *u = tensors["u"].data();
    // Reads both orders of a pair while they are in a cache.
#pragma omp parallel for num_threads(tensors.ranks().threads()) schedule(static, 1)
    for (index_t i = 0; i < o; ++i)
        for (index_t j = 0; j <= i; ++j) {
            const index_t ij = v * v * (i + o * j);
            const index_t ji = v * v * (j + o * i);
            combine_pair({v, t2.data() + ij, t2.data() + ji, t1.data() + v * i, t1.data() + v * j,
                          tau + ij, tau + ji, u + v * (i + o * v * j), u + v * (j + o * v * i),
                          v * o});
        }
}

double correlation_energy(tensor_set &tensors) {
    for (const char *line : energy_equations())
        run_line(tensors, line);
    return scalar_of(tensors["E"]);
}

double norm_of_both(const dist_tensor<double> &one, const dist_tensor<double> &two) {
    return std::hypot(one.norm(), two.norm());
}

} // namespace tenfold::ccsd
