// The coupled-cluster iterations.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/ccsd/diagnostics.hpp"
#include "apps/ccsd/diis.hpp"
#include "apps/ccsd/molecule.hpp"
#include "apps/ccsd/options.hpp"
#include "apps/ccsd/tensor_set.hpp"

namespace tenfold::ccsd {

struct iteration {
    double energy = 0;   ///< correlation energy after the update, hartree
    double change = 0;   ///< of the energy
    double residual = 0; ///< norm of (R1, R2) before the update
    double seconds = 0;
    double gflops = 0; ///< per second, all ranks together
};

struct ccsd_result {
    double first_update = 0; ///< energy after the first update
    bool converged = false;
    std::vector<iteration> iterations;
    double t1_norm = 0;
    double t2_norm = 0;
    std::optional<diagnostics> diagnosed; ///< empty if the iterations diverged

    double energy() const noexcept { return iterations.empty() ? 0 : iterations.back().energy; }
};

/// Names of the tensors that solve_ccsd() erases at its end, because (T) does not need them: what
/// the equations write, and some integrals.
std::set<std::string> tensors_of_iterations();

/// The state from which iterations continue; T1, T2 and the tensors of DIIS are in the tensor_set.
struct ccsd_start {
    std::vector<iteration> iterations; ///< empty: start from first_amplitudes()
    std::vector<std::vector<double>> diis_products;
};

/// Called after each iteration with all iterations so far.
using iteration_observer = std::function<void(const ccsd_result &so_far, const diis &history)>;

/// Collective. Starts from the blocks of molecule_source. Leaves converged T1 and T2, and erases
/// the tensors that only iterations need.
ccsd_result solve_ccsd(tensor_set &tensors, const molecule &system, const options &how,
                       const ccsd_start &start, const iteration_observer &observe);

} // namespace tenfold::ccsd
