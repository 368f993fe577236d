// Water in STO-3G: energies of another program, and runs of tenfold-ccsd that must succeed.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace tenfold::testing {

const std::string water = TENFOLD_TEST_DATA "/h2o_sto3g.FCIDUMP";

/// Hartree; psi4 1.3.2 (tests/apps/data/README.md).
struct energies {
    double hf = -74.94207992819231;
    double mp2 = -0.04914963612001595;
    double ccsd = -0.07068008837662638;
    double t = -9.987727236021026e-05;
};
const energies all_electrons;
const energies frozen_core{-74.94207992819231, -0.04906028087547199, -0.07061681644369781,
                           -9.995747596126766e-05};

/// Checks the energies in the output of --json, within 1e-9 hartree.
void expect_energies(const nlohmann::json &json, const energies &expected);
constexpr double energy_tolerance = 1e-9;

/// Runs without a launcher (0) or on this number of ranks. Returns the output of --json.
nlohmann::json run_ccsd(int ranks, const std::string &arguments);

} // namespace tenfold::testing
