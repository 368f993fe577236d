// The command line of tenfold-bench.
#pragma once

#include <string>
#include <vector>

#include "apps/command_line.hpp"
#include "apps/values.hpp"
#include "transposition_options.hpp"

namespace tenfold::apps_impl {

struct peer_name {
    std::string name;
    std::string file;
};

struct bench_options {
    std::string suite;
    data_type type = data_type::f64;        ///< of what is read
    data_type output_type = data_type::f64; ///< another one where transpositions convert
    int threads = 0;                        ///< after parsing at least 1
    bool threads_given = false;
    std::string cases;
    std::string file;
    double beta = 0;
    int repeat = 5;
    bool flush = false;
    bool verify = false;
    tenfold::algorithm algorithm = algorithm::automatic;
    std::vector<peer_name> peers;
    std::string json_file;
    std::string csv_file;
    std::string plot_file;
    transposition_options ttc;
    std::vector<std::string> remarks; ///< for the head of the report

    bool converts() const { return type != output_type; }
    /// "f64", or "f32-f64".
    std::string type_name() const;
    bool has_matrix_products() const { return suite == "gemm" || suite == "small"; }
};

/// Returns false when --help or --version has been printed. Throws usage_error, also for options
/// that the suite has no use for.
bool parse_bench_options(const std::vector<std::string> &arguments, bench_options &options);

} // namespace tenfold::apps_impl
