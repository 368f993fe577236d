#include <tenfold/chem_reference.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include <tenfold/error.hpp>

namespace tenfold::chem {
namespace {

using orbital_set = std::vector<index_t>; ///< sorted

/// f_pq = h_pq + sum_k [2 (pq|kk) - (pk|kq)] over the file's orbitals.
double fock_element(const integrals &g, const orbital_set &occupied, index_t p, index_t q) {
    double f = g.h(p, q);
    for (const index_t k : occupied)
        f += 2 * g(p, q, k, k) - g(p, k, k, q);
    return f;
}

std::vector<double> fock_diagonal(const integrals &g, const orbital_set &occupied) {
    std::vector<double> diagonal;
    for (index_t p = 0; p < g.orbitals; ++p)
        diagonal.push_back(fock_element(g, occupied, p, p));
    return diagonal;
}

double energy_of(const integrals &g, const orbital_set &occupied) {
    double energy = g.constant;
    for (const index_t k : occupied)
        energy += g.h(k, k) + fock_element(g, occupied, k, k);
    return energy;
}

/// Returns the `count` orbitals with the lowest values; the first ones of equal values.
orbital_set lowest(const std::vector<double> &values, index_t count) {
    std::vector<index_t> all(values.size());
    std::iota(all.begin(), all.end(), 0);
    std::stable_sort(all.begin(), all.end(), [&](index_t a, index_t b) {
        return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
    });
    all.resize(static_cast<std::size_t>(count));
    std::sort(all.begin(), all.end());
    return all;
}

std::set<orbital_set> candidates(const integrals &g) {
    const index_t count = g.electrons / 2;
    orbital_set first(static_cast<std::size_t>(count));
    std::iota(first.begin(), first.end(), 0);
    std::vector<orbital_set> starts{first};
    if (!g.orbital_energies.empty())
        starts.push_back(lowest(g.orbital_energies, count));
    std::vector<double> bare;
    for (index_t p = 0; p < g.orbitals; ++p)
        bare.push_back(g.h(p, p));
    starts.push_back(lowest(bare, count));

    std::set<orbital_set> all;
    for (orbital_set set : starts) {
        constexpr int rounds = 50; // occupations may alternate without end
        for (int round = 0; round < rounds && all.insert(set).second; ++round)
            set = lowest(fock_diagonal(g, set), count);
    }
    return all;
}

void check_closed_shell(const integrals &all) {
    if (all.electrons < 2 || all.electrons % 2 != 0 || all.electrons > 2 * all.orbitals ||
        all.spin != 0)
        throw error(errc::invalid_argument,
                    "find_closed_shell: " + std::to_string(all.electrons) +
                        " electrons with twice the spin " + std::to_string(all.spin) + " in " +
                        std::to_string(all.orbitals) +
                        " orbitals: expected an even number from 2 to twice the orbitals, and "
                        "spin 0");
}

} // namespace

closed_shell find_closed_shell(const integrals &all) {
    check_closed_shell(all);
    const orbital_set *best = nullptr;
    const std::set<orbital_set> tried = candidates(all);
    closed_shell result;
    for (const orbital_set &one : tried) {
        const double energy = energy_of(all, one);
        if (best == nullptr || energy < result.energy) {
            best = &one;
            result.energy = energy;
        }
    }

    const std::vector<double> diagonal = fock_diagonal(all, *best);
    const auto by_energy = [&](index_t a, index_t b) {
        return diagonal[static_cast<std::size_t>(a)] < diagonal[static_cast<std::size_t>(b)];
    };
    result.occupied = all.electrons / 2;
    result.order = *best;
    for (index_t p = 0; p < all.orbitals; ++p)
        if (!std::binary_search(best->begin(), best->end(), p))
            result.order.push_back(p);
    const auto middle = result.order.begin() + result.occupied;
    std::stable_sort(result.order.begin(), middle, by_energy);
    std::stable_sort(middle, result.order.end(), by_energy);

    const index_t n = all.orbitals;
    for (index_t q = 0; q < n; ++q)
        for (index_t p = 0; p < n; ++p)
            result.fock.push_back(fock_element(all, *best,
                                               result.order[static_cast<std::size_t>(p)],
                                               result.order[static_cast<std::size_t>(q)]));
    for (index_t a = result.occupied; a < n; ++a)
        for (index_t i = 0; i < result.occupied; ++i)
            result.largest_coupling = std::max(result.largest_coupling, std::abs(result.f(i, a)));
    return result;
}

} // namespace tenfold::chem
