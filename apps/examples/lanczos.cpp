#include "apps/examples/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "apps/examples/symmetric_eigen.hpp"

namespace tenfold::examples {
namespace {

double dot(const tensor<double> &x, const tensor<double> &y) {
    return std::inner_product(x.data(), x.data() + x.size(), y.data(), 0.0);
}

/// y += a x
void add(double a, const tensor<double> &x, tensor<double> &y) {
    for (index_t i = 0; i < y.size(); ++i)
        y.data()[i] += a * x.data()[i];
}

/// Divides by the norm, and returns it.
double normalise(tensor<double> &x) {
    const double norm = std::sqrt(dot(x, x));
    for (index_t i = 0; i < x.size(); ++i)
        x.data()[i] /= norm;
    return norm;
}

} // namespace

double lowest_state(tensor<double> &state,
                    const std::function<void(const tensor<double> &, tensor<double> &)> &apply,
                    int steps) {
    const extents_t extents = state.shape().extents();
    const auto most = static_cast<index_t>(steps);
    tensor<double> projected({most, most}); // the operator in the basis
    std::vector<tensor<double>> basis;
    basis.emplace_back(extents);
    add(1, state, basis[0]);
    normalise(basis[0]);
    index_t found = 0;
    while (true) {
        tensor<double> next(extents);
        apply(basis.back(), next);
        projected(found, found) = dot(basis.back(), next);
        ++found;
        // Orthogonalises against the whole basis, twice. In exact arithmetic the last two vectors
        // would suffice.
        for (int pass = 0; pass < 2; ++pass)
            for (const tensor<double> &one : basis)
                add(-dot(one, next), one, next);
        const double norm = normalise(next);
        if (found == most || norm <= 1e-10 * std::abs(projected(0, 0)))
            break;
        projected(found - 1, found) = norm;
        basis.push_back(std::move(next));
    }

    tensor<double> leading({found, found});
    for (index_t j = 0; j < found; ++j)
        for (index_t i = 0; i <= j; ++i)
            leading(i, j) = projected(i, j);
    const eigen_system eigen = symmetric_eigen(leading);
    std::fill_n(state.data(), state.size(), 0.0);
    for (index_t k = 0; k < found; ++k)
        add(eigen.vectors(k, found - 1), basis[static_cast<std::size_t>(k)], state);
    return eigen.values.back();
}

} // namespace tenfold::examples
