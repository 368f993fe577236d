#include "apps/ccsd/options.hpp"

#include "apps/common/command_line.hpp"
#include "apps/common/option_groups.hpp"
#include "apps/common/program.hpp"
#include "apps/common/values.hpp"

namespace tenfold::ccsd {
namespace {

using namespace apps_impl;

method parse_method(const std::string &option, const std::string &text) {
    for (const method one : {method::hf, method::mp2, method::ccsd, method::ccsd_t})
        if (text == name(one))
            return one;
    throw usage_error(option + " '" + text + "': expected hf, mp2, ccsd or ccsd(t)");
}

double parse_threshold(const std::string &option, const std::string &text) {
    const scalar value = parse_scalar(option, text);
    if (value.imag() != 0 || !(value.real() > 0))
        throw usage_error(option + " '" + text + "': expected a number above 0, such as 1e-8");
    return value.real();
}

double parse_level_shift(const std::string &option, const std::string &text) {
    const scalar value = parse_scalar(option, text);
    if (value.imag() != 0 || !(value.real() >= 0))
        throw usage_error(option + " '" + text + "': expected a number of at least 0, such as 0.3");
    return value.real();
}

/// A program of equations says itself what is iterated, and how often.
void check_equations(const options &asked) {
    if (asked.equations.empty())
        return;
    options others;
    others.file = asked.file;
    others.equations = asked.equations;
    others.frozen_core = asked.frozen_core;
    others.json = asked.json;
    others.trace = asked.trace;
    if (!(asked == others))
        throw usage_error("--equations FILE says what is computed and how: only --frozen-core, "
                          "--json and --trace go with it");
}

} // namespace

const char *name(method one) noexcept {
    switch (one) {
    case method::hf:
        return "hf";
    case method::mp2:
        return "mp2";
    case method::ccsd:
        return "ccsd";
    default:
        return "ccsd(t)";
    }
}

std::optional<options> parse_options(const std::vector<std::string> &arguments) {
    options result;
    command_line line("tenfold-ccsd", "FCIDUMP [options]",
                      "Energies of a closed-shell molecule by Hartree-Fock, MP2, CCSD and CCSD(T), "
                      "from its integrals in\nFCIDUMP format, plain or compressed by gzip or xz. "
                      "Runs alone or under mpirun.");
    line.set_positional("FCIDUMP", &result.file);
    const auto at_least = [](int least) {
        return [least](const std::string &option, const std::string &text) {
            return parse_count(option, text, least);
        };
    };
    auto &what = line.group("What is computed");
    add_value(what, "method", "NAME", &result.method, parse_method,
              "hf, mp2, ccsd or ccsd(t), which is the default");
    add_value(what, "equations", "FILE", &result.equations, parse_text,
              "a method of your own instead: a program of equations, as in docs/programs.md");
    add_value(what, "frozen-core", "N", &result.frozen_core, at_least(0),
              "leave the N lowest occupied orbitals uncorrelated; 0 unless given");
    auto &how = line.group("How");
    add_value(how, "convergence", "X", &result.convergence, parse_threshold,
              "iterate until the energy changes by less (hartree) and the residual's norm is "
              "below; 1e-8 unless given");
    add_value(how, "max-iterations", "N", &result.max_iterations, at_least(1),
              "give up after N iterations; 50 unless given");
    add_value(how, "diis", "N", &result.diis, at_least(0),
              "extrapolate from the last N iterations; 8 unless given, 0 or 1 for none");
    add_value(how, "level-shift", "X", &result.level_shift, parse_level_shift,
              "raise virtual orbitals by X hartree in the denominators of CCSD's updates, which "
              "damps them where gaps are small; 0 unless given");
    add_value(how, "memory", "SIZE", &result.memory, parse_size,
              "the most memory of each rank for tensors and buffers: an integer with an optional "
              "KiB, MiB or GiB; DIIS keeps fewer vectors where that is what it takes");
    add_value(how, "checkpoint", "FILE", &result.checkpoint, parse_text,
              "save where the calculation stands after each iteration and each tenth of (T); where "
              "that fails, warn and go on");
    add_value(how, "restart", "FILE", &result.restart, parse_text,
              "go on from such a file, on any number of ranks; it may be the one that is saved");
    std::string if_present;
    add_value(how, "restart-if-present", "FILE", &if_present, parse_text,
              "the same, but begin anew where there is no such file");
    auto &output = line.group("Output");
    add_value(output, "json", "FILE", &result.json, parse_text,
              "write everything as one JSON object to FILE as well");
    add_trace_option(output, result.trace);
    if (!line.parse(arguments))
        return std::nullopt;
    if (!if_present.empty()) {
        if (!result.restart.empty())
            throw usage_error("--restart and --restart-if-present: one of them");
        result.restart = if_present;
        result.restart_if_present = true;
    }
    check_equations(result);
    if (result.method < method::ccsd && !(result.checkpoint.empty() && result.restart.empty()))
        throw usage_error("--checkpoint and --restart need --method ccsd or ccsd(t)");
    return result;
}

} // namespace tenfold::ccsd
