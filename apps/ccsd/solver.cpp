#include "apps/ccsd/solver.hpp"

#include <cmath>
#include <iterator>
#include <utility>

#include <tenfold/dist_operations.hpp>

#include "apps/ccsd/amplitudes.hpp"
#include "apps/ccsd/diis.hpp"
#include "apps/ccsd/equations.hpp"
#include "apps/ccsd/pairs.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::ccsd {
namespace {

/// Integrals that (T) does not need.
constexpr const char *integrals_of_iterations[] = {"Vp", "Vm", "Gp", "Gm", "oooo", "vvoo"};

bool is_converged(const iteration &last, double threshold) {
    return std::abs(last.change) < threshold && last.residual < threshold;
}

} // namespace

std::set<std::string> tensors_of_iterations() {
    std::set<std::string> names(std::begin(integrals_of_iterations),
                                std::end(integrals_of_iterations));
    for (const equation_list &lines :
         {setup_equations(), residual_equations(), energy_equations(), opposite_spin_equations()})
        for (const char *line : lines)
            for (std::string &name : written_by(line))
                names.insert(std::move(name));
    return names;
}

ccsd_result solve_ccsd(tensor_set &tensors, const molecule &system, const options &how,
                       const ccsd_start &start, const iteration_observer &observe) {
    ccsd_result result;
    result.iterations = start.iterations;
    diis accelerator(tensors, how.diis);
    accelerator.restore(start.diis_products);
    const bool restarted = !result.iterations.empty();
    result.converged = restarted && is_converged(result.iterations.back(), how.convergence);
    if (!restarted)
        first_amplitudes(tensors, system);
    for (const char *line : setup_equations())
        run_line(tensors, line);
    double energy = correlation_energy(tensors); // also makes tau
    if (restarted)
        energy = result.energy(); // the value before the restart, to the last bit
    while (!result.converged && static_cast<int>(result.iterations.size()) < how.max_iterations) {
        const apps_impl::stopwatch watch;
        const double flops_before = tensors.flops();
        for (const char *line : residual_equations())
            run_line(tensors, line);
        tensors.agree_on_failures();
        iteration now;
        now.residual = norm_of_both(tensors["R1"], tensors["R2"]);
        update_amplitudes(tensors, system, how.level_shift);
        const apps_impl::stopwatch extrapolation;
        accelerator.extrapolate();
        tensors.charge("DIIS", extrapolation.seconds(), 0);
        now.energy = correlation_energy(tensors);
        now.change = now.energy - energy;
        energy = now.energy;
        // All ranks use rank 0's clock, so that their results agree.
        now.seconds = watch.seconds();
        broadcast(tensors.ranks(), now.seconds, root);
        now.gflops = (tensors.flops() - flops_before) * 1e-9 / now.seconds;
        result.iterations.push_back(now);
        result.converged = is_converged(now, how.convergence);
        if (observe)
            observe(result, accelerator);
        if (!std::isfinite(now.energy))
            break;
    }
    result.first_update = result.iterations.front().energy;
    result.t1_norm = tensors["T1"].norm();
    result.t2_norm = tensors["T2"].norm();
    if (std::isfinite(result.energy()))
        result.diagnosed = diagnose(tensors, system, result.energy());
    for (const std::string &name : tensors_of_iterations())
        tensors.erase(name);
    return result;
}

} // namespace tenfold::ccsd
