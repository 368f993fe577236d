// The result of running a contraction on one process or on many.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/tenfold/contraction_request.hpp"

namespace tenfold::apps_impl {

/// The largest number of elements of D that --verify recomputes.
constexpr index_t verified_elements = 1000;

struct contraction_result {
    resolved_contraction resolved;
    int ranks = 1;
    int threads = 1; ///< per rank
    tenfold::algorithm algorithm = algorithm::automatic;
    double seconds_min = 0;
    bool first_call = false;                 ///< see timed_runs::first_call
    std::optional<double> predicted_seconds; ///< empty across ranks, where plans predict no time
    double flops = 0;                        ///< of all ranks together
    double bytes = 0;                        ///< of A, B and D (and C if it is read), each once
    byte_count workspace;
    byte_count bytes_received_max; ///< received by the contraction; 0 on one process
    byte_count redistribution_max; ///< received to and from the plan's layout
    byte_count peak_bytes_per_rank;
    std::string explanation;

    /// The most that the machine can do, all ranks together.
    struct ceiling {
        double fma_gflops; ///< 0: not known, for integers without instructions of their own
        double copy_gbps;
    };
    std::optional<ceiling> machine; ///< set if the result is printed as text

    struct check {
        double max_relative_error;
        double bound; ///< the largest error that rounding can explain
        index_t elements;
        index_t not_numbers = 0; ///< correct NaN elements, which are not compared
        std::string nan_source;  ///< which input elements cause them

        bool passed() const noexcept { return max_relative_error <= bound && not_numbers == 0; }
        bool is_number() const noexcept { return max_relative_error > bound || not_numbers == 0; }
        /// Says what is wrong if the verification has failed.
        std::string complaint() const;
    };
    std::optional<check> verified;
};

/// Runs the contraction on this process as often as requested, and writes the output file if one
/// was named.
contraction_result run_alone(const contraction_request &request, const run_options &run);

/// The result of a verification, as fields of --json and as a line of text.
void add_verification(nlohmann::ordered_json &json,
                      const std::optional<contraction_result::check> &found);
std::string describe(const contraction_result::check &found);

/// The remark that follows the seconds of a first call, which includes the warm-up.
const char *remark_on(bool first_call);

/// The object that `tenfold contract --json` prints (docs/command-line.md), in one line.
std::string to_json(const contraction_request &request, const contraction_result &result);

/// Measures the ceiling of this process for this type, number of threads and size, which takes some
/// tenths of a second. Ranks that measure at the same time share the machine as they do in the run.
contraction_result::ceiling measure_ceiling(data_type type, int threads, double bytes);

/// The result as several lines of text.
std::string to_text(const contraction_request &request, const contraction_result &result);

} // namespace tenfold::apps_impl
