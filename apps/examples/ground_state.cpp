// The ground state of a chain of spins as a matrix product state. Two neighbouring sites at a time
// are optimised while the others are fixed, from one end of the chain to the other and back. Every
// step is a contraction of a few small tensors, in an order that the library finds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "apps/common/text.hpp"
#include "apps/common/values.hpp"
#include "apps/examples/ising_chain.hpp"
#include "apps/examples/matrix_product_state.hpp"

namespace tenfold::examples {
namespace {

using namespace apps_impl;

constexpr index_t most_dense_sites = 16;

struct ground_state_options {
    ising_chain chain;
    index_t bond = 16;
    int sweeps = 10;
    int steps = 6;
    common_options common;
};

/// Compares the state as a vector with plain loops over its 2^sites elements.
void check_dense(const ising_chain &chain, const matrix_product_state &state, double energy,
                 double square_energy, double rounding, checks &results) {
    const tensor<double> elements = state.dense();
    const std::vector<double> psi(elements.data(), elements.data() + elements.size());
    const std::vector<double> image = apply(chain, psi);
    const auto dot = [](const std::vector<double> &x, const std::vector<double> &y) {
        return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
    };
    results.at_most("|psi|^2 - 1 of all elements", std::abs(dot(psi, psi) - 1), rounding);
    results.at_most("<H> against plain loops", std::abs(energy - dot(psi, image)), rounding);
    results.at_most("<H^2> against plain loops", std::abs(square_energy - dot(image, image)),
                    rounding * std::abs(energy));
}

void check(const ising_chain &chain, const matrix_product_state &state, checks &results) {
    const auto [ground, next] = exact_energies(chain);
    const double energy = state.energy(), square_energy = state.square_energy();
    const double rounding =
        1e3 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(ground));

    results.at_most("|psi|^2 - 1", std::abs(state.square_norm() - 1), rounding);
    // No state has less energy than the ground state, and a state with a small variance of the
    // energy is near an eigenvalue: E - E0 <= (<H^2> - E^2) / (E1 - E) (Temple, Proc. R. Soc. A
    // 119, 276, 1928).
    results.at_most("exact energy - <H>", ground - energy, rounding);
    const double scatter =
        std::max(0.0, square_energy - energy * energy) + rounding * std::abs(energy);
    results.at_most("<H> - energy of the first excited state", energy - next, 0);
    results.at_most("<H> - exact energy", energy - ground, scatter / (next - energy) + rounding);
    if (chain.sites <= most_dense_sites)
        check_dense(chain, state, energy, square_energy, rounding, results);
}

void run(const ground_state_options &asked) {
    const ising_chain &chain = asked.chain;
    std::printf("chain of %lld spins, field %g, bonds up to %lld\n\n",
                static_cast<long long>(chain.sites), chain.field,
                static_cast<long long>(asked.bond));
    contraction_table table(asked.common.threads);
    matrix_product_state state(chain.sites, operator_of(chain), first_bond, last_bond, table);
    double before = 0;
    for (int sweep = 1; sweep <= asked.sweeps; ++sweep) {
        const double energy = state.sweep(asked.bond, asked.steps);
        std::printf("sweep %2d: energy %.12f, bonds up to %lld, at most %.1e cut off\n", sweep,
                    energy, static_cast<long long>(state.largest_bond()),
                    state.largest_truncation());
        if (std::abs(energy - before) <= 1e-12 * std::abs(energy))
            break;
        before = energy;
    }
    std::printf("exact:    energy %.12f\n\n", exact_energies(chain).ground);

    checks results;
    check(chain, state, results);
    std::printf("\n");
    table.print(asked.common.plans);
    results.conclude();
}

int ground_state(const std::vector<std::string> &arguments) {
    ground_state_options asked;
    command_line line("tenfold-example-ground-state", "[options]",
                      "The ground state of the Ising chain in a transverse field as a matrix "
                      "product state, by two-site\nsweeps. The energy is compared with the exact "
                      "one, short chains with plain loops over all elements.");
    auto &what = line.group("What");
    const auto at_least = [](int least) {
        return [least](const std::string &option, const std::string &text) {
            return parse_count(option, text, least);
        };
    };
    add_value(what, "sites", "N", &asked.chain.sites, at_least(2), "spins; 16 unless given");
    add_number(what, "field", &asked.chain.field,
               "the transverse field; 1 unless given, and at least that: below, two states have "
               "nearly the lowest energy");
    auto &effort = line.group("Effort");
    add_extent(effort, "bond", &asked.bond, "the largest bond; 16 unless given");
    add_value(effort, "sweeps", "N", &asked.sweeps, at_least(1),
              "at most so many; 10 unless given");
    add_value(effort, "steps", "N", &asked.steps, at_least(2),
              "Lanczos steps for each pair of sites; 6 unless given");
    if (!parse_with_common_options(line, asked.common, arguments))
        return exit_success;
    if (asked.chain.field < 1)
        throw usage_error(format("--field %g: expected 1 or more", asked.chain.field));
    run(asked);
    return exit_success;
}

} // namespace
} // namespace tenfold::examples

int main(int argc, char **argv) {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return tenfold::apps_impl::run_program(
        "tenfold-example-ground-state", [&] { return tenfold::examples::ground_state(arguments); });
}
