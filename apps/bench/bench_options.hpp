// The command line of tenfold-bench.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/bench/page_memory.hpp"
#include "apps/bench/random_request.hpp"
#include "apps/common/command_line.hpp"
#include "apps/common/values.hpp"

namespace tenfold::apps_impl {

/// Elements of a result that --verify computes again.
inline constexpr index_t verified_elements = 1000;

/// The contenders that the suite interfaces has without --peer: Tenfold's C interface.
inline constexpr const char *c_by_plan = "c";
inline constexpr const char *c_in_one_call = "c-call";

struct peer_name {
    std::string name;
    std::string file;
};

/// The options that only the suite ttc has.
struct transposition_options {
    placement where; ///< the same for A and B
    tenfold::tuning tuning = tuning::estimate;
    bool portability = false;
};

struct bench_options {
    std::string suite;
    data_type type = data_type::f64;        ///< of the inputs
    data_type output_type = data_type::f64; ///< may differ, see type_name()
    bool contract = false;                  ///< small: contractions instead of matrix products
    int threads = 0;                        ///< at least 1 after parsing
    bool threads_given = false;
    std::string cases;
    std::string file;
    std::optional<random_request> random; ///< random cases instead of a list
    double beta = 0;
    int repeat = 5;
    bool flush = false;
    bool verify = false;
    bool efficiency = false; ///< also time matrix products on one thread
    bool choice = false;     ///< also time contractions with each algorithm forced
    tenfold::algorithm algorithm = algorithm::automatic;
    std::vector<peer_name> peers;
    std::string json_file;
    std::string csv_file;
    std::string plot_file;
    std::string trace_file;
    std::string record_folder; ///< where results are kept; empty: they are not
    transposition_options ttc;
    std::vector<std::string> remarks; ///< for the head of the report

    bool converts() const { return type != output_type && !is_mixed(); }
    /// Products of bf16, f16 or 8-bit integers, whose outputs have 4 bytes.
    bool is_mixed() const { return !is_arithmetic(type) && suite != "ttc"; }
    index_t input_bytes() const { return size_of(type); }
    /// Returns "f64", "f32-f64", "bf16", "bf16-bf16" or "i8".
    std::string type_name() const;
    bool has_matrix_products() const { return suite == "gemm" || (suite == "small" && !contract); }
    bool has_contractions() const { return suite == "tccg" || suite == "dist" || times_calls(); }
    /// Contractions so small that calls without a plan are timed, too.
    bool times_calls() const { return contract || suite == "interfaces"; }
    /// Of the columns beside Tenfold's: --peer's, and before them those of the suite interfaces.
    std::vector<std::string> peer_names() const;
    /// The name of the list of cases: the suite, or "small --contract".
    std::string list() const { return contract ? suite + " --contract" : suite; }
};

/// Returns the options of the single suites that "all" stands for, else the options themselves.
std::vector<bench_options> single_suites(const bench_options &options);

/// Returns "tuning estimate; A and B begin 16 bytes past 64-byte boundaries; 4 KiB pages".
std::string describe(const transposition_options &options);

/// Returns false if it has printed --help or --version. Throws usage_error, also for options that
/// do not apply to the suite.
bool parse_bench_options(const std::vector<std::string> &arguments, bench_options &options);

} // namespace tenfold::apps_impl
