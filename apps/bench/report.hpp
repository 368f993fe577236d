// The output of tenfold-bench, printed and in files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "apps/bench/bench_options.hpp"
#include "apps/bench/choice.hpp"
#include "apps/bench/measure.hpp"
#include "apps/bench/portability.hpp"

namespace tenfold::apps_impl {

/// The machine, as measured in this run.
struct machine_result {
    std::string cpu;
    std::string isa;
    int threads = 1;
    int ranks = 1;
    double fma_peak_gflops = 0;
    double copy_gbps = 0;
    double memcpy_gbps = 0;
    std::optional<double> in_huge_pages; ///< share of the copy's arrays; empty if unknown
};

struct peer_summary {
    static constexpr double far_behind = 0.8; ///< a ratio below this
    std::string name;
    double geomean_ratio = 0;
    double worst_ratio = 0;
    std::string worst_case;
    int cases_far_behind = 0;
};

/// Compares calls without a plan with calls with one.
struct one_shot_summary {
    double geomean_factor = 0; ///< seconds without / with
    double worst_factor = 0;
    std::string worst_case;
    std::vector<peer_summary> peers; ///< against our calls without a plan
};

struct bench_report {
    machine_result machine;
    std::vector<case_result> cases;
    int cases_left_out = 0;    ///< because a peer cannot compute them
    int cases_not_reached = 0; ///< because the user stopped the run
    std::optional<portability_table> portability;
    double tiny_execute_seconds = 0; ///< of transpositions; 0 if not measured

    /// The median of the seconds to make the cases' plans again; for transpositions only.
    double median_plan_seconds() const;
    double geomean_of_ceiling() const;
    /// The mean of case_result::of_roofline() with the caches' bandwidth, over the cases that stay
    /// in caches; 0 if there are none.
    double geomean_of_cache_ceiling() const;
    /// The mean over the cases that were also timed on one thread; 0 if there are none.
    double geomean_of_efficiency() const;
    std::vector<peer_summary> peer_summaries() const;
    /// Compares with the fastest peer of each case; empty with fewer than two peers.
    std::optional<peer_summary> best_peer_summary() const;
    /// Empty if calls without a plan were not timed.
    std::optional<one_shot_summary> one_shots() const;
    /// The case furthest below its ceiling; null if there are no cases.
    const case_result *worst() const;
    prediction_summary predictions() const;
    bool verified() const;
};

/// Sets cpu, isa and threads; the suites measure the rates.
machine_result describe_machine(const bench_options &options);

void print_header(const bench_options &options, const machine_result &machine);
void print_case(const bench_options &options, const case_result &one);
void print_summary(const bench_report &report);

/// A cell of the first ones in a line of a table, which hold names of any width.
struct leading_cell {
    std::string text;
    std::size_t width; ///< of the column
};

/// Returns the cells side by side, each padded to its column and followed by a blank. If one of
/// them is too wide, they get a line of their own, and the following columns stay aligned.
std::string leading_cells(const std::vector<leading_cell> &cells);

/// Prints the rows of the suite dist.
void print_distributed_header(const bench_options &options);
void print_distributed_case(const bench_options &options, const case_result &one);
void print_distributed_summary(const bench_report &report);
/// The fields that cases of this suite have in addition to those of every case.
nlohmann::ordered_json distributed_object(const distributed_result &result);

/// What write_json() writes.
nlohmann::ordered_json report_object(const bench_options &options, const bench_report &report);

/// Write the formats of docs/benchmarking.md. Throw tenfold::error(errc::io).
void write_json(const std::string &path, const bench_options &options, const bench_report &report);
void write_csv(const std::string &path, const bench_options &options, const bench_report &report);

} // namespace tenfold::apps_impl
