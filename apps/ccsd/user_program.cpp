#include "apps/ccsd/user_program.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/ccsd/molecule.hpp"
#include "apps/ccsd/report.hpp"
#include "apps/ccsd/shared_reading.hpp"
#include "apps/common/files.hpp"
#include "apps/common/mpi_session.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::ccsd {
namespace {

using namespace apps_impl;

/// A range of a program: its kind of orbitals.
struct orbital_range {
    bool is_virtual;
    index_t spins; ///< spin orbitals of an orbital, or 1

    char letter() const noexcept { return is_virtual ? 'v' : 'o'; }
};

orbital_range range_of(const std::string &name) {
    static const std::map<std::string, orbital_range> known{{"occupied", {false, 1}},
                                                            {"virtual", {true, 1}},
                                                            {"spin_occupied", {false, 2}},
                                                            {"spin_virtual", {true, 2}}};
    const auto found = known.find(name);
    if (found == known.end())
        throw usage_error("--equations: range '" + name +
                          "': expected occupied, virtual, spin_occupied or spin_virtual");
    return found->second;
}

/// What an input is: its elements by orbitals.
struct input_kind {
    std::string classes; ///< a letter for each mode, o or v
    index_t spins = 1;
    bool antisymmetrised = false;
};

std::string described(const program_tensor &tensor) {
    std::string text;
    for (const std::string &range : tensor.ranges)
        text += (text.empty() ? "[" : ",") + range;
    return "input '" + tensor.name + text + (text.empty() ? "'" : "]'");
}

/// Throws usage_error for a name that does not say what it is.
input_kind kind_of(const program_tensor &tensor) {
    input_kind kind;
    for (std::size_t mode = 0; mode < tensor.ranges.size(); ++mode) {
        const orbital_range range = range_of(tensor.ranges[mode]);
        if (mode > 0 && range.spins != kind.spins)
            throw usage_error("--equations: " + described(tensor) +
                              ": expected ranges of orbitals, or of spin orbitals, not both");
        kind.spins = range.spins;
        kind.classes += range.letter();
    }
    std::vector<std::string> names;
    if (kind.classes.empty())
        names = {"hf"};
    else if (kind.classes.size() == 1)
        names = {"e" + kind.classes};
    else if (kind.classes.size() == 2)
        names = {"f" + kind.classes};
    else if (kind.classes.size() == 4 && kind.spins == 1)
        names = {kind.classes};
    else if (kind.classes.size() == 4)
        names = {kind.classes, "A" + kind.classes};
    if (std::find(names.begin(), names.end(), tensor.name) == names.end()) {
        std::string expected;
        for (const std::string &one : names)
            expected += (expected.empty() ? ": expected the name " : " or ") + one;
        throw usage_error(
            "--equations: " + described(tensor) +
            (names.empty() ? ": expected one, two or four modes, or none" : expected));
    }
    kind.antisymmetrised = tensor.name.front() == 'A';
    return kind;
}

/// The inputs of a program.
class user_inputs {
public:
    user_inputs(const chem::integrals &list, const molecule &system)
        : g_(list, system.places), system_(system) {}

    program_input bound(const program_tensor &tensor) const {
        if (tensor.ranges.empty())
            return system_.hf_energy;
        return [this, kind = kind_of(tensor)](const extents_t &at, tensor_view<double> block) {
            fill(kind, at, block);
        };
    }

private:
    void fill(const input_kind &kind, const extents_t &at, const tensor_view<double> &block) const {
        extents_t first = at;
        for (std::size_t mode = 0; mode < at.size(); ++mode)
            first[mode] += kind.classes[mode] == 'v' ? kind.spins * system_.o() : 0;
        if (kind.classes.size() == 4 && kind.spins == 1)
            return g_.write(first, block);
        extents_t p(first.size());
        for (index_t k = 0; k < block.shape().size(); ++k) {
            index_t rest = k;
            for (std::size_t mode = 0; mode < p.size(); ++mode) {
                const index_t extent = block.shape().extents()[mode];
                p[mode] = first[mode] + rest % extent;
                rest /= extent;
            }
            block.data()[k] = element(kind, p);
        }
    }

    double element(const input_kind &kind, const extents_t &p) const {
        if (p.size() == 1)
            return fock(kind.spins, p[0], p[0]);
        if (p.size() == 2)
            return fock(kind.spins, p[0], p[1]);
        return kind.antisymmetrised
                   ? spin_coulomb(p[0], p[2], p[1], p[3]) - spin_coulomb(p[0], p[3], p[1], p[2])
                   : spin_coulomb(p[0], p[1], p[2], p[3]);
    }
    double fock(index_t spins, index_t p, index_t q) const {
        return p % spins == q % spins ? system_.f(p / spins, q / spins) : 0.0;
    }
    /// (pq|rs); spin orbital p is orbital p / 2 with spin p % 2.
    double spin_coulomb(index_t p, index_t q, index_t r, index_t s) const {
        return p % 2 == q % 2 && r % 2 == s % 2 ? g_(p / 2, q / 2, r / 2, s / 2) : 0.0;
    }

    chem::ordered_integrals g_;
    const molecule &system_;
};

/// What is wrong with the file is a usage_error.
program read_equations(const std::string &path) {
    try {
        return read_program(path);
    } catch (const error &problem) {
        throw usage_error(std::string("--equations: ") + problem.what());
    }
}

/// Repeated blocks count so often in the plan's seconds and in the choice of layouts.
constexpr int usual_iterations = 10;

program_plan plan_of(const program &equations, const molecule &system, const world &ranks) {
    range_sizes sizes;
    for (const std::string &name : equations.ranges()) {
        const orbital_range range = range_of(name);
        sizes[name] = range.spins * (range.is_virtual ? system.v() : system.o());
    }
    return make_program_plan(
        equations, sizes, ranks.size(),
        {.contraction = {.threads = ranks.threads(), .ranks_per_node = ranks.ranks_per_node()},
         .repetitions = usual_iterations});
}

} // namespace

int run_user_program(const world &ranks, const options &asked) {
    const stopwatch since_start;
    results found;
    found.asked = asked;
    found.ranks = ranks.size();
    found.threads = ranks.threads();
    std::optional<program> equations;
    agree_on_file(ranks, [&] {
        if (ranks.rank() == root) {
            if (!asked.json.empty())
                check_writable(asked.json);
            static_cast<void>(read_header(asked));
        }
        equations = read_equations(asked.equations);
        for (const std::string &name : equations->ranges())
            static_cast<void>(range_of(name));
        for (const program_tensor &one : equations->tensors())
            if (one.role == tensor_role::input)
                static_cast<void>(kind_of(one));
    });
    const molecule_source source(
        ranks, {.path = asked.file, .frozen = asked.frozen_core, .everywhere = true});
    found.system = source.shared();
    found.seconds_read = since_start.seconds();
    std::optional<program_plan> plan;
    std::map<std::string, program_input> inputs;
    std::optional<user_inputs> of_molecule;
    run_agreed(ranks, [&] {
        plan = plan_of(*equations, found.system, ranks);
        of_molecule.emplace(source.list(), found.system);
        for (const program_tensor &one : equations->tensors())
            if (one.role == tensor_role::input)
                inputs.emplace(one.name, of_molecule->bound(one));
    });
    const index_t list = chem::integrals::bytes_needed(found.system.orbitals);
    found.planned_bytes = plan->summary().peak.value + list;
    if (ranks.rank() == root) {
        print_plan(found);
        print_reference(found);
    }
    const stopwatch running;
    const program_result outcome = run_program(*plan, ranks, inputs);
    found.seconds_program = running.seconds();
    found.seconds_total = since_start.seconds();
    found.peak_bytes = outcome.peak.value + list;
    run_agreed(ranks, [&] {
        if (ranks.rank() != root)
            return;
        print_program(found, outcome);
        if (!asked.json.empty())
            write_json(found, outcome, asked.json);
    });
    if (!outcome.converged)
        throw failure("'" + asked.equations + "' did not converge");
    return exit_success;
}

} // namespace tenfold::ccsd
