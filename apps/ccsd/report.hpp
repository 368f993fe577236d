// The output of the program: text on standard output, and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tenfold/dist_program.hpp>

#include "apps/ccsd/molecule.hpp"
#include "apps/ccsd/options.hpp"
#include "apps/ccsd/solver.hpp"
#include "apps/ccsd/triples_tasks.hpp"

namespace tenfold::ccsd {

/// All results of a calculation.
struct results {
    options asked; ///< `diis` is what fits in memory out of diis_asked
    int diis_asked = 0;
    molecule system;
    int ranks = 1;
    int threads = 1; ///< of each rank
    std::optional<spin_parts> mp2;
    std::optional<ccsd_result> ccsd;
    std::optional<double> t_correction;
    std::size_t restarted_after = 0; ///< iterations; 0 without --restart
    int checkpoints_saved = 0;
    int checkpoints_failed = 0;
    double seconds_read = 0;
    double seconds_ccsd = 0;
    double seconds_triples = 0;
    double seconds_program = 0; ///< of a user's program
    double seconds_total = 0;
    std::vector<line_profile> profile;
    index_t planned_bytes = 0; ///< per rank
    index_t peak_bytes = 0;    ///< per rank

    double total_energy() const noexcept;
};

// Functions that print on standard output, for the root.

/// Called before integrals are read: `what.system` has only the numbers of orbitals.
void print_plan(const results &what);
/// Prints how the plan changed after the integrals were read.
void print_changed_plan(const results &what);
void print_no_restart(const std::string &file);
void print_reference(const results &what);
void print_mp2(const results &what);
void print_iterations_heading();
/// Prints what the checkpoint contains.
void print_restart(const results &what, const triples_progress &triples);
void print_iteration(std::size_t number, const iteration &one);
void print_results(const results &what);
/// Of a user's program: its scalars, and what its lines took.
void print_program(const results &what, const program_result &found);

/// Throws tenfold::error(errc::io).
void write_json(const results &what, const std::string &path);
/// Of a user's program.
void write_json(const results &what, const program_result &found, const std::string &path);

} // namespace tenfold::ccsd
