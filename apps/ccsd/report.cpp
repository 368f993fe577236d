#include "apps/ccsd/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <tenfold/context.hpp>
#include <tenfold/version.hpp>

namespace tenfold::ccsd {
namespace {

/// Prints an energy; `remark`, which may be empty, qualifies it.
void print_energy(const char *what, double energy, const std::string &remark = {}) {
    std::printf("  %-28s %20.12f%s%s\n", what, energy, remark.empty() ? "" : "  ", remark.c_str());
}

double mebibytes(index_t size) { return static_cast<double>(size) / (1024.0 * 1024.0); }

void print_memory(const results &what, const char *why) {
    std::printf("planned memory per rank: %.1f MiB%s\n", mebibytes(what.planned_bytes), why);
    if (what.asked.diis < what.diis_asked)
        std::printf("DIIS keeps %d vectors, not %d, to stay within --memory\n", what.asked.diis,
                    what.diis_asked);
    std::fflush(stdout);
}

/// Prints the lines of the profile that take longest, until the rest does not matter.
void print_profile(const std::vector<line_profile> &profile) {
    std::vector<line_profile> sorted = profile;
    std::sort(sorted.begin(), sorted.end(),
              [](const line_profile &a, const line_profile &b) { return a.seconds > b.seconds; });
    double all = 0;
    for (const line_profile &one : sorted)
        all += one.seconds;
    std::printf("\n  %-44s %6s %10s %9s %9s\n", "line", "calls", "seconds", "GFLOP/s", "GB");
    double told = 0;
    for (const line_profile &one : sorted) {
        if (told > 0.95 * all)
            break;
        told += one.seconds;
        std::printf("  %-44s %6lld %10.4f %9.2f %9.3f\n", one.line.c_str(),
                    static_cast<long long>(one.calls), one.seconds,
                    one.seconds > 0 ? one.flops * 1e-9 / one.seconds : 0, one.bytes * 1e-9);
    }
    std::printf("  %-44s %6s %10.4f\n", "all others", "", all - told);
}

void print_spin_parts(const spin_parts &parts) {
    print_energy("  pairs of opposite spins", parts.opposite);
    print_energy("  pairs of the same spin", parts.same);
    if (std::abs(parts.singles) > 1e-12)
        print_energy("  singles", parts.singles);
}

/// Returns "3 4 -> 7 6", counted from 1 as in the file.
std::string excitation(const amplitude &one) {
    std::string text;
    for (const index_t orbital : one.from)
        text += std::to_string(orbital + 1) + " ";
    text += "->";
    for (const index_t orbital : one.to)
        text += " " + std::to_string(orbital + 1);
    return text;
}

void print_amplitude(const amplitude &one, int width) {
    std::printf(" %-*s %12.8f", width, excitation(one).c_str(), one.value);
}

void print_diagnostics(const diagnostics &found) {
    std::printf("\n  T1 diagnostic %.6f, D1 diagnostic %.6f\n", found.t1, found.d1);
    std::printf("  largest amplitudes, orbitals as the file numbers them\n");
    for (std::size_t i = 0; i < std::max(found.largest_t1.size(), found.largest_t2.size()); ++i) {
        std::printf("   ");
        if (i < found.largest_t1.size())
            print_amplitude(found.largest_t1[i], 18);
        if (i < found.largest_t2.size()) {
            std::printf("%*s", i < found.largest_t1.size() ? 5 : 37, "");
            print_amplitude(found.largest_t2[i], 24);
        }
        std::printf("\n");
    }
}

/// Advises what to do if the iterations did not converge.
void print_advice(const results &what) {
    const ccsd_result &ccsd = *what.ccsd;
    if (!std::isfinite(ccsd.energy())) {
        std::printf("\n  CCSD diverged. Try --level-shift %g, which damps the updates.\n",
                    std::max(0.3, 2 * what.asked.level_shift));
        return;
    }
    std::printf("\n  CCSD did not converge in %zu iterations. What may help:\n"
                "    --max-iterations %d where the residual was still falling;\n"
                "    --level-shift %g where it was not: smaller steps to the same result;\n",
                ccsd.iterations.size(), 2 * what.asked.max_iterations,
                std::max(0.3, 2 * what.asked.level_shift));
    if (what.asked.checkpoint.empty())
        std::printf("    --checkpoint FILE, from which --restart FILE goes on.\n");
    else
        std::printf("    --restart '%s', which goes on from here.\n",
                    what.asked.checkpoint.c_str());
}

} // namespace

double results::total_energy() const noexcept {
    double energy = system.hf_energy;
    if (ccsd)
        energy += ccsd->energy();
    else
        energy += mp2 ? mp2->sum() : 0;
    return energy + t_correction.value_or(0);
}

void print_plan(const results &what) {
    const molecule &m = what.system;
    std::printf("tenfold-ccsd %s, %d %s, %d %s each, %s\n", version(), what.ranks,
                what.ranks == 1 ? "rank" : "ranks", what.threads,
                what.threads == 1 ? "thread" : "threads",
                std::string(name(context::global().isa())).c_str());
    std::printf("%s: %lld orbitals, %lld occupied (%lld frozen), %lld virtual\n",
                what.asked.file.c_str(), static_cast<long long>(m.orbitals),
                static_cast<long long>(m.occupied), static_cast<long long>(m.frozen),
                static_cast<long long>(m.v()));
    print_memory(what, "");
}

void print_changed_plan(const results &what) {
    print_memory(what, ", since orbitals are not canonical");
}

void print_no_restart(const std::string &file) {
    std::printf("begins anew: there is no '%s'\n", file.c_str());
    std::fflush(stdout);
}

void print_reference(const results &what) {
    const molecule &m = what.system;
    std::printf("\n");
    print_energy("constant (nuclear repulsion)", m.constant);
    print_energy("Hartree-Fock total energy", m.hf_energy);
    if (!m.is_hartree_fock())
        std::printf("  note: the largest |f_ia| is %.2e; these are not converged Hartree-Fock "
                    "orbitals\n",
                    m.largest_coupling);
    std::fflush(stdout);
}

void print_mp2(const results &what) {
    const std::string remark =
        what.system.is_hartree_fock() ? "" : "not standard: without singles, which f_ia would add";
    print_energy("MP2 correlation energy", what.mp2->sum(), remark);
    print_spin_parts(*what.mp2);
    print_energy("SCS-MP2 correlation energy", what.mp2->spin_component_scaled(), remark);
    std::fflush(stdout);
}

void print_iterations_heading() {
    std::printf("\n  iteration %18s %12s %11s %9s %9s\n", "energy", "change", "residual", "seconds",
                "GFLOP/s");
    std::fflush(stdout);
}

void print_restart(const results &what, const triples_progress &triples) {
    std::printf("  goes on from '%s', after iteration %zu", what.asked.restart.c_str(),
                what.restarted_after);
    if (!triples.empty())
        std::printf(" and %lld of %zu triples",
                    static_cast<long long>(
                        std::count(triples.done.begin(), triples.done.end(), std::uint8_t{1})),
                    triples.done.size());
    std::printf("\n");
    std::fflush(stdout);
}

void print_iteration(std::size_t number, const iteration &one) {
    std::printf("  %9zu %18.12f %12.2e %11.2e %9.3f %9.2f\n", number, one.energy, one.change,
                one.residual, one.seconds, one.gflops);
    std::fflush(stdout);
}

void print_results(const results &what) {
    const std::string remark = what.ccsd && !what.ccsd->converged ? "NOT CONVERGED" : "";
    if (what.ccsd) {
        std::printf("\n");
        print_energy("CCSD correlation energy", what.ccsd->energy(), remark);
        if (what.ccsd->diagnosed)
            print_spin_parts(what.ccsd->diagnosed->energy);
        print_energy("CCSD total energy", what.system.hf_energy + what.ccsd->energy(), remark);
        std::printf("  norm of T1 %.8f, of T2 %.8f\n", what.ccsd->t1_norm, what.ccsd->t2_norm);
    }
    if (what.t_correction)
        print_energy("(T) correction", *what.t_correction,
                     what.system.is_hartree_fock() ? ""
                                                   : "not standard: without the terms in f_ia");
    print_energy("total energy", what.total_energy(), remark);
    if (what.ccsd && what.ccsd->diagnosed)
        print_diagnostics(*what.ccsd->diagnosed);
    if (!remark.empty())
        print_advice(what);
    if (what.checkpoints_failed > 0)
        std::printf(
            "\n  %d of %d checkpoints could not be saved; '%s' %s\n", what.checkpoints_failed,
            what.checkpoints_failed + what.checkpoints_saved, what.asked.checkpoint.c_str(),
            what.checkpoints_saved > 0 ? "is the last one that could" : "is what it was before");
    std::printf("\n  seconds: %.2f reading, %.2f CCSD, %.2f (T), %.2f in all\n", what.seconds_read,
                what.seconds_ccsd, what.seconds_triples, what.seconds_total);
    std::printf("  peak memory per rank: %.1f MiB\n", mebibytes(what.peak_bytes));
    if (what.ccsd)
        print_profile(what.profile);
}

void print_program(const results &what, const program_result &found) {
    const char *const remark = found.converged ? "" : "NOT CONVERGED";
    std::printf("\n");
    for (const auto &[name, value] : found.scalars)
        print_energy(name.c_str(), value, remark);
    std::printf("\n  seconds: %.2f reading, %.2f running, %.2f in all\n", what.seconds_read,
                what.seconds_program, what.seconds_total);
    std::printf("  peak memory per rank: %.1f MiB\n\n%s", mebibytes(what.peak_bytes),
                found.describe().c_str());
}

} // namespace tenfold::ccsd
