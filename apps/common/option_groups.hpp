// Options that several commands share, bound to one struct per group.
#pragma once

#include <optional>
#include <string>

#include "apps/common/command_line.hpp"
#include "apps/common/conversions.hpp"
#include "apps/common/values.hpp"

namespace tenfold::apps_impl {

/// Options for the problem: extents, types, factors.
struct problem_options {
    labelled_extents extents;
    std::optional<contraction_types> types;
    std::optional<scalar> alpha;
    std::optional<scalar> beta;
};
void add_problem_options(po::options_description &group, problem_options &options);
/// Adds all of those but --type.
void add_value_options(po::options_description &group, problem_options &options);

/// Options for the execution. Those that are not set follow the environment.
struct execution_options {
    int threads = 0;
    tenfold::algorithm algorithm = algorithm::automatic;
    std::optional<tenfold::backend> backend;
    std::optional<byte_count> workspace_limit;
    tenfold::tuning tuning = tuning::estimate;
};
void add_threads_option(po::options_description &group, int &threads);
void add_tuning_option(po::options_description &group, tenfold::tuning &level);
void add_execution_options(po::options_description &group, execution_options &options);

/// Options for repeating, verifying and tracing runs.
struct run_options {
    int repeat = 1;
    bool verify = false;
    bool json = false;
    std::string trace_file; ///< of runs across ranks
};
void add_run_options(po::options_description &group, run_options &options);
void add_json_option(po::options_description &group, bool &json);
/// Adds --trace, the file for the trace of a run under mpirun.
void add_trace_option(po::options_description &group, std::string &file);

} // namespace tenfold::apps_impl
