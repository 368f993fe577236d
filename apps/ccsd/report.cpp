#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include <nlohmann/json.hpp>

#include <tenfold/context.hpp>
#include <tenfold/error.hpp>
#include <tenfold/version.hpp>

#include "apps/text.hpp"

namespace tenfold::ccsd {
namespace {

using apps_impl::describe_seconds;
using apps_impl::format;

std::string mebibytes(index_t size) {
    return format("%.1f MiB", static_cast<double>(size) / (1024.0 * 1024.0));
}

/// Lines of the profile that take longest, until what is left does not matter.
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

nlohmann::json optional_number(const std::optional<double> &value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
}

} // namespace

double results::total_energy() const noexcept {
    double energy = system.hf_energy;
    if (ccsd)
        energy += ccsd->energy();
    else
        energy += mp2_correlation.value_or(0);
    return energy + t_correction.value_or(0);
}

void print_header(const results &what) {
    const molecule &m = what.system;
    std::printf("tenfold-ccsd %s, %d %s, %d %s each, %s\n", version(), what.ranks,
                what.ranks == 1 ? "rank" : "ranks", what.threads,
                what.threads == 1 ? "thread" : "threads",
                std::string(name(context::global().isa())).c_str());
    std::printf("%s: %lld orbitals, %lld occupied (%lld frozen), %lld virtual\n",
                what.asked.file.c_str(), static_cast<long long>(m.orbitals),
                static_cast<long long>(m.occupied), static_cast<long long>(m.frozen),
                static_cast<long long>(m.v()));
    std::printf("planned memory per rank: %s\n", mebibytes(what.planned_bytes).c_str());
    std::printf("\n  constant (nuclear repulsion) %20.12f\n", m.constant);
    std::printf("  Hartree-Fock total energy    %20.12f\n", m.hf_energy);
    if (m.largest_coupling > 1e-6)
        std::printf("  note: the largest |f_ia| is %.2e; these are not converged Hartree-Fock "
                    "orbitals\n",
                    m.largest_coupling);
    if (what.mp2_correlation)
        std::printf("  MP2 correlation energy       %20.12f\n", *what.mp2_correlation);
    if (what.asked.method == method::ccsd || what.asked.method == method::ccsd_t)
        std::printf("\n  iteration %18s %12s %11s %9s %9s\n", "energy", "change", "residual",
                    "seconds", "GFLOP/s");
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
    if (what.ccsd) {
        std::printf("\n  CCSD correlation energy      %20.12f\n", what.ccsd->energy());
        std::printf("  CCSD total energy            %20.12f\n",
                    what.system.hf_energy + what.ccsd->energy());
        std::printf("  norm of T1 %.8f, of T2 %.8f\n", what.ccsd->t1_norm, what.ccsd->t2_norm);
    }
    if (what.t_correction)
        std::printf("  (T) correction               %20.12f\n", *what.t_correction);
    std::printf("  total energy                 %20.12f\n", what.total_energy());
    std::printf("\n  seconds: %.2f reading, %.2f CCSD, %.2f (T), %.2f in all\n", what.seconds_read,
                what.seconds_ccsd, what.seconds_triples, what.seconds_total);
    std::printf("  peak memory per rank: %s\n", mebibytes(what.peak_bytes).c_str());
    if (what.ccsd)
        print_profile(what.profile);
}

void write_json(const results &what, const std::string &path) {
    const molecule &m = what.system;
    nlohmann::json out;
    out["file"] = what.asked.file;
    out["method"] = name(what.asked.method);
    out["ranks"] = what.ranks;
    out["threads"] = what.threads;
    out["orbitals"] = m.orbitals;
    out["occupied"] = m.occupied;
    out["virtual"] = m.v();
    out["frozen_core"] = m.frozen;
    out["level_shift"] = what.asked.level_shift;
    out["energies"] = {
        {"nuclear_repulsion", m.constant},
        {"hf_total", m.hf_energy},
        {"mp2_correlation", optional_number(what.mp2_correlation)},
        {"ccsd_correlation", what.ccsd ? nlohmann::json(what.ccsd->energy()) : nlohmann::json()},
        {"t_correction", optional_number(what.t_correction)},
        {"total", what.total_energy()}};
    out["restarted_after_iteration"] =
        what.restarted_after > 0 ? nlohmann::json(what.restarted_after) : nlohmann::json();
    out["iterations"] = nlohmann::json::array();
    for (const char *key : {"first_update_ccsd_correlation", "t1_norm", "t2_norm", "converged"})
        out[key] = nullptr;
    if (what.ccsd) {
        out["first_update_ccsd_correlation"] = what.ccsd->first_update;
        out["t1_norm"] = what.ccsd->t1_norm;
        out["t2_norm"] = what.ccsd->t2_norm;
        out["converged"] = what.ccsd->converged;
        for (const iteration &one : what.ccsd->iterations)
            out["iterations"].push_back({{"energy", one.energy},
                                         {"change", one.change},
                                         {"residual", one.residual},
                                         {"seconds", one.seconds},
                                         {"gflops", one.gflops}});
    }
    out["seconds"] = {{"read", what.seconds_read},
                      {"ccsd", what.seconds_ccsd},
                      {"triples", what.seconds_triples},
                      {"total", what.seconds_total}};
    out["contractions"] = nlohmann::json::array();
    for (const line_profile &one : what.profile)
        out["contractions"].push_back(
            {{"line", one.line},
             {"calls", one.calls},
             {"seconds", one.seconds},
             {"gflops", one.seconds > 0 ? one.flops * 1e-9 / one.seconds : 0},
             {"bytes", one.bytes},
             {"bytes_received_per_rank", one.bytes_received}});
    out["memory"] = {{"planned_bytes_per_rank", what.planned_bytes},
                     {"peak_bytes_per_rank", what.peak_bytes}};
    std::ofstream file(path);
    file << out.dump(2) << '\n';
    file.close();
    if (!file)
        throw error(errc::io, "'" + path + "' could not be written");
}

} // namespace tenfold::ccsd
