// What the program tells: for people on standard output, and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "molecule.hpp"
#include "options.hpp"
#include "solver.hpp"
#include "triples_tasks.hpp"

namespace tenfold::ccsd {

/// Everything there is to tell at the end.
struct results {
    options asked;
    molecule system;
    int ranks = 1;
    int threads = 1; ///< of each rank
    std::optional<double> mp2_correlation;
    std::optional<ccsd_result> ccsd;
    std::optional<double> t_correction;
    std::size_t restarted_after = 0; ///< iterations; 0 without --restart
    double seconds_read = 0;
    double seconds_ccsd = 0;
    double seconds_triples = 0;
    double seconds_total = 0;
    std::vector<line_profile> profile;
    index_t planned_bytes = 0; ///< per rank
    index_t peak_bytes = 0;    ///< per rank

    double total_energy() const noexcept;
};

/// Text for standard output; on other ranks than the root nothing is printed.
void print_header(const results &what);
/// What a checkpoint has done already.
void print_restart(const results &what, const triples_progress &triples);
void print_iteration(std::size_t number, const iteration &one);
void print_results(const results &what);

/// Throws tenfold::error(errc::io).
void write_json(const results &what, const std::string &path);

} // namespace tenfold::ccsd
