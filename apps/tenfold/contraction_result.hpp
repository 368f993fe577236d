// What a run of a contraction found, on one process or many.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/tenfold/contraction_request.hpp"

namespace tenfold::apps_impl {

/// Elements of D that --verify recomputes; all of them where there are no more.
constexpr index_t verified_elements = 1000;

struct contraction_result {
    resolved_contraction resolved;
    int ranks = 1;
    int threads = 1; ///< per rank
    tenfold::algorithm algorithm = algorithm::automatic;
    double seconds_min = 0;
    bool first_call = false;                 ///< timed_runs::first_call
    std::optional<double> predicted_seconds; ///< empty across ranks: plans there price no time
    double flops = 0;                        ///< of all ranks together
    double bytes = 0;                        ///< of A, B and D (and C where it is read), each once
    byte_count workspace;
    byte_count bytes_received_max; ///< by the contraction; 0 on one process
    byte_count redistribution_max; ///< on the way to the plan's layout and back
    byte_count peak_bytes_per_rank;
    std::string explanation;

    /// What the machine can do at most, all ranks together.
    struct ceiling {
        double fma_gflops;
        double copy_gbps;
    };
    std::optional<ceiling> machine; ///< where people read the result

    struct check {
        double max_relative_error;
        double bound; ///< what rounding can explain
        index_t elements;
        index_t not_numbers = 0; ///< elements that are NaN, rightly: not to be verified
        std::string nan_source;  ///< where those come from

        bool passed() const noexcept { return max_relative_error <= bound && not_numbers == 0; }
        bool is_number() const noexcept { return max_relative_error > bound || not_numbers == 0; }
        /// What is wrong, for one that has not passed.
        std::string complaint() const;
    };
    std::optional<check> verified;
};

/// Runs on this process, as often as asked; writes the output's file if one was named.
contraction_result run_alone(const contraction_request &request, const run_options &run);

/// The fields of --json that tell of a verification, and its line for people.
void add_verification(nlohmann::ordered_json &json,
                      const std::optional<contraction_result::check> &found);
std::string describe(const contraction_result::check &found);

/// What people are told beside the seconds of a call that nothing warmed up.
const char *remark_on(bool first_call);

/// The object that `tenfold contract --json` prints (docs/command-line.md), one line.
std::string to_json(const contraction_request &request, const contraction_result &result);

/// Measures the ceiling of this process, for this type, number of threads and size; takes some
/// tenths of a second. Ranks that measure at the same time share the machine as they did before.
contraction_result::ceiling measure_ceiling(data_type type, int threads, double bytes);

/// Several lines for people.
std::string to_text(const contraction_request &request, const contraction_result &result);

} // namespace tenfold::apps_impl
