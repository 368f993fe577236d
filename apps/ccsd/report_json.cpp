// All results as one JSON object; docs/command-line.md lists its fields.
#include <fstream>

#include <nlohmann/json.hpp>

#include <tenfold/error.hpp>

#include "apps/ccsd/report.hpp"

namespace tenfold::ccsd {
namespace {

nlohmann::json optional_number(const std::optional<double> &value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
}

/// Orbitals count from 1 here.
nlohmann::json as_json(const std::vector<amplitude> &amplitudes) {
    nlohmann::json list = nlohmann::json::array();
    const auto numbers = [](std::vector<index_t> orbitals) {
        for (index_t &one : orbitals)
            ++one;
        return orbitals;
    };
    for (const amplitude &one : amplitudes)
        list.push_back(
            {{"from", numbers(one.from)}, {"to", numbers(one.to)}, {"value", one.value}});
    return list;
}

nlohmann::json as_json(const diagnostics &found) {
    return {{"opposite_spin", found.energy.opposite},
            {"same_spin", found.energy.same},
            {"singles", found.energy.singles},
            {"t1_diagnostic", found.t1},
            {"d1_diagnostic", found.d1},
            {"largest_t1", as_json(found.largest_t1)},
            {"largest_t2", as_json(found.largest_t2)}};
}

nlohmann::json header_of(const results &what) {
    const molecule &m = what.system;
    return {{"file", what.asked.file}, {"ranks", what.ranks},    {"threads", what.threads},
            {"orbitals", m.orbitals},  {"occupied", m.occupied}, {"virtual", m.v()},
            {"frozen_core", m.frozen}};
}

nlohmann::json memory_of(const results &what) {
    return {{"planned_bytes_per_rank", what.planned_bytes},
            {"peak_bytes_per_rank", what.peak_bytes}};
}

void write(const nlohmann::json &out, const std::string &path) {
    std::ofstream file(path);
    file << out.dump(2) << '\n';
    file.close();
    if (!file)
        throw error(errc::io, "'" + path + "' could not be written");
}

} // namespace

void write_json(const results &what, const std::string &path) {
    const molecule &m = what.system;
    nlohmann::json out = header_of(what);
    out["method"] = name(what.asked.method);
    out["diis_vectors"] = what.asked.diis;
    out["level_shift"] = what.asked.level_shift;
    out["energies"] = {
        {"nuclear_repulsion", m.constant},
        {"hf_total", m.hf_energy},
        {"mp2_correlation", what.mp2 ? nlohmann::json(what.mp2->sum()) : nlohmann::json()},
        {"ccsd_correlation", what.ccsd ? nlohmann::json(what.ccsd->energy()) : nlohmann::json()},
        {"t_correction", optional_number(what.t_correction)},
        {"total", what.total_energy()}};
    out["mp2"] = nullptr;
    if (what.mp2)
        out["mp2"] = {{"standard", m.is_hartree_fock()},
                      {"opposite_spin", what.mp2->opposite},
                      {"same_spin", what.mp2->same},
                      {"scs_correlation", what.mp2->spin_component_scaled()}};
    out["ccsd"] = nullptr;
    if (what.ccsd && what.ccsd->diagnosed)
        out["ccsd"] = as_json(*what.ccsd->diagnosed);
    out["triples"] = nullptr;
    if (what.t_correction)
        out["triples"] = {{"standard", m.is_hartree_fock()}};
    out["restarted_after_iteration"] =
        what.restarted_after > 0 ? nlohmann::json(what.restarted_after) : nlohmann::json();
    out["checkpoint"] = nullptr;
    if (!what.asked.checkpoint.empty())
        out["checkpoint"] = {{"saved", what.checkpoints_saved},
                             {"failed", what.checkpoints_failed}};
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
    out["memory"] = memory_of(what);
    write(out, path);
}

void write_json(const results &what, const program_result &found, const std::string &path) {
    nlohmann::json out = header_of(what);
    out["equations"] = what.asked.equations;
    out["energies"] = {{"nuclear_repulsion", what.system.constant},
                       {"hf_total", what.system.hf_energy}};
    out["scalars"] = found.scalars;
    out["converged"] = found.converged;
    out["seconds"] = {{"read", what.seconds_read},
                      {"program", what.seconds_program},
                      {"total", what.seconds_total}};
    out["lines"] = nlohmann::json::array();
    for (const executed_line &one : found.lines)
        out["lines"].push_back({{"line", one.line},
                                {"text", one.text},
                                {"times", one.times},
                                {"seconds", one.seconds},
                                {"planned_seconds", one.planned},
                                {"bytes_received_per_rank", one.received.value},
                                {"peak_bytes_per_rank", one.peak.value}});
    out["memory"] = memory_of(what);
    write(out, path);
}

} // namespace tenfold::ccsd
