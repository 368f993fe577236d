#include "apps/common/option_groups.hpp"

#include "base/option_checks.hpp"

namespace tenfold::apps_impl {

void add_problem_options(po::options_description &group, problem_options &options) {
    add_value_options(group, options);
    add_value(group, "type", "TYPE", &options.types, parse_contraction_types,
              (base::arithmetic_type_names("or") +
               "; also bf16 or f16, with an output of f32, and i8 with one of i32, or u8 for a "
               "first input of u8; a type for each input, such as f64,f32, with an output that "
               "holds them; and after a hyphen another output's, such as bf16-bf16; f64 unless "
               "files say otherwise")
                  .c_str());
}

void add_value_options(po::options_description &group, problem_options &options) {
    add_value(
        group, "extents", "a=48,b=36,...", &options.extents, parse_extents,
        "the extent of every label; the operands are then made up of numbers in [-1, 1], or of "
        "any integers, that depend on their position only");
    add_value(group, "alpha", "X", &options.alpha, parse_scalar,
              "multiplies the inputs; 1 unless given");
    add_value(group, "beta", "X", &options.beta, parse_scalar,
              "multiplies what the output held before; 0 unless given, and then that is not read");
}

void add_threads_option(po::options_description &group, int &threads) {
    add_value(group, "threads", "N", &threads, parse_threads,
              "threads of each process; TENFOLD_NUM_THREADS or the usable cores unless given");
}

void add_tuning_option(po::options_description &group, tenfold::tuning &level) {
    add_value(group, "tuning", "LEVEL", &level, parse_tuning_level,
              "how long to look for a fast way: estimate, measure or patient");
}

void add_execution_options(po::options_description &group, execution_options &options) {
    add_threads_option(group, options.threads);
    add_value(group, "algorithm", "NAME", &options.algorithm, parse_algorithm_name,
              "auto, direct, fused, ttgt, gemm-loop, loops, reference or leaves");
    add_value(group, "backend", "NAME", &options.backend, parse_backend_name,
              "who multiplies matrices: native or blis");
    add_value(group, "workspace-limit", "SIZE", &options.workspace_limit, parse_size,
              "the most memory to use beside the tensors: an integer with an optional KiB, MiB or "
              "GiB");
    add_tuning_option(group, options.tuning);
}

void add_run_options(po::options_description &group, run_options &options) {
    add_value(
        group, "repeat", "R", &options.repeat,
        [](const std::string &option, const std::string &text) {
            return parse_count(option, text);
        },
        "run R times, after a first one that warms up if that is short, and report the fastest; 1 "
        "unless given");
    add_flag(group, "verify", &options.verify,
             "recompute a sample of the output in plain loops, and fail if it differs by more than "
             "rounding explains");
    add_json_option(group, options.json);
}

void add_json_option(po::options_description &group, bool &json) {
    add_flag(group, "json", &json, "print one JSON object and nothing else");
}

void add_trace_option(po::options_description &group, std::string &file) {
    add_value(group, "trace", "FILE", &file, parse_text,
              "under mpirun: what every rank does when, for Perfetto or chrome://tracing");
}

} // namespace tenfold::apps_impl
