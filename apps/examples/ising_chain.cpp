#include "apps/examples/ising_chain.hpp"

#include <cmath>

#include "apps/examples/symmetric_eigen.hpp"

namespace tenfold::examples {

tensor<double> operator_of(const ising_chain &chain) {
    tensor<double> W({operator_bonds, operator_bonds, 2, 2});
    for (index_t s = 0; s < 2; ++s) {
        const double z = s == 0 ? 1 : -1;
        W(first_bond, first_bond, s, s) = 1; // before the first term
        W(first_bond, 1, s, s) = z;          // the left site of a pair
        W(1, last_bond, s, s) = -z;          // the right site
        W(last_bond, last_bond, s, s) = 1;   // after the last term
        W(first_bond, last_bond, s, 1 - s) = -chain.field;
    }
    return W;
}

lowest_energies exact_energies(const ising_chain &chain) {
    const index_t n = chain.sites;
    tensor<double> square({n, n}); // M^T M
    for (index_t i = 0; i < n; ++i) {
        square(i, i) = chain.field * chain.field + (i > 0 ? 1 : 0);
        if (i > 0)
            square(i - 1, i) = square(i, i - 1) = chain.field;
    }
    lowest_energies result{0, 0};
    double least = INFINITY;
    for (const double value : symmetric_eigen(square).values) {
        result.ground -= std::sqrt(value);
        least = std::sqrt(value);
    }
    result.next = result.ground + 2 * least;
    return result;
}

std::vector<double> apply(const ising_chain &chain, const std::vector<double> &state) {
    std::vector<double> result(state.size());
    for (std::size_t spins = 0; spins < state.size(); ++spins)
        for (index_t i = 0; i < chain.sites; ++i) {
            const std::size_t next = spins >> 1;
            if (i + 1 < chain.sites)
                result[spins] -= ((spins ^ next) >> i & 1) != 0 ? -state[spins] : state[spins];
            result[spins] -= chain.field * state[spins ^ (std::size_t{1} << i)];
        }
    return result;
}

} // namespace tenfold::examples
