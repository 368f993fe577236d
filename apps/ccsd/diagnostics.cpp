#include "apps/ccsd/diagnostics.hpp"

#include <algorithm>
#include <cmath>

#include <tenfold/dist_operations.hpp>

#include "apps/ccsd/canonical.hpp"
#include "apps/ccsd/equations.hpp"
#include "apps/ccsd/pairs.hpp"

namespace tenfold::ccsd {
namespace {

constexpr index_t most_told = 10;
constexpr double least_told = 1e-8;

/// Whether an amplitude T2[a,b,i,j] is listed rather than the equal T2[b,a,j,i].
bool is_first_of_two(position_view at) {
    return at[2] < at[3] || (at[2] == at[3] && at[0] <= at[1]);
}

/// `found` has virtual positions, then as many occupied ones.
std::vector<amplitude> as_amplitudes(const std::vector<dist_element<double>> &found,
                                     const molecule &system) {
    std::vector<amplitude> result;
    for (const dist_element<double> &one : found) {
        if (std::abs(one.value) < least_told)
            break; // the others are smaller
        amplitude &told = result.emplace_back();
        told.value = one.value;
        const std::size_t excited = one.position.size() / 2;
        for (std::size_t k = 0; k < excited; ++k) {
            told.from.push_back(system.file_orbital(one.position[excited + k]));
            told.to.push_back(system.file_orbital(system.o() + one.position[k]));
        }
    }
    return result;
}

/// The square root of the largest eigenvalue of T1^T T1.
double largest_singular_value(const tensor<double> &t1) {
    const index_t v = t1.shape().extents()[0];
    const index_t o = t1.shape().extents()[1];
    std::vector<double> square;
    for (index_t j = 0; j < o; ++j)
        for (index_t i = 0; i < o; ++i) {
            double sum = 0;
            for (index_t a = 0; a < v; ++a)
                sum += t1(a, i) * t1(a, j);
            square.push_back(sum);
        }
    return std::sqrt(std::max(0.0, diagonalise(std::move(square), o).values.back()));
}

} // namespace

diagnostics diagnose(tensor_set &tensors, const molecule &system, double energy) {
    diagnostics result;
    const tensor<double> t1 = tensors["T1"].gather_all(); // a matrix
    for (index_t i = 0; i < system.o(); ++i)
        for (index_t a = 0; a < system.v(); ++a)
            result.energy.singles += 2 * system.f(system.o() + a, i) * t1(a, i);
    result.t1 = tensors["T1"].norm() / std::sqrt(static_cast<double>(2 * system.o()));
    result.d1 = largest_singular_value(t1);
    result.largest_t1 = as_amplitudes(largest(tensors["T1"], most_told), system);
    result.largest_t2 = as_amplitudes(largest(tensors["T2"], most_told, is_first_of_two), system);

    for (const char *line : opposite_spin_equations())
        run_line(tensors, line);
    tensors.agree_on_failures();
    result.energy.opposite = scalar_of(tensors["Eo"]);
    result.energy.same = energy - result.energy.singles - result.energy.opposite;
    return result;
}

} // namespace tenfold::ccsd
