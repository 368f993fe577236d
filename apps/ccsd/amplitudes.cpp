#include "apps/ccsd/amplitudes.hpp"

#include <cmath>

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

double scalar_of(const dist_tensor<double> &tensor) { return *tensor.gather_all().data(); }

double correlation_energy(tensor_set &tensors) {
    for (const char *line : energy_equations())
        run_line(tensors, line);
    return scalar_of(tensors["E"]);
}

double norm_of_both(const dist_tensor<double> &one, const dist_tensor<double> &two) {
    return std::hypot(one.norm(), two.norm());
}

} // namespace tenfold::ccsd
