// tenfold-bench: how fast Tenfold is, compared with the machine's ceilings and other libraries.
#include "apps/bench/bench_options.hpp"
#include "apps/bench/plot.hpp"
#include "apps/bench/record.hpp"
#include "apps/bench/report.hpp"
#include "apps/bench/suites.hpp"
#include "apps/common/files.hpp"
#include "apps/common/launcher.hpp"
#include "apps/common/program.hpp"

namespace tenfold::apps_impl {
namespace {

bench_report run_suite(const bench_options &options) {
    if (options.suite == "dist")
        return run_distributed_cases(options);
    if (launched_ranks() > 1) {
        if (options.suite != "tccg")
            throw usage_error("suite '" + options.suite + "' runs on one process only");
        return run_distributed_cases(options);
    }
    return options.suite == "ceilings" ? run_ceilings(options) : run_cases(options);
}

void write(const bench_options &options, const bench_report &report) {
    print_summary(report);
    if (!options.json_file.empty())
        write_json(options.json_file, options, report);
    if (!options.csv_file.empty())
        write_csv(options.csv_file, options, report);
    if (!options.plot_file.empty())
        write_chart(options.plot_file, chart_of(options, report));
    if (!options.record_folder.empty() && report.cases_not_reached == 0)
        record(options.record_folder, options, report);
}

int run(const std::vector<std::string> &arguments) {
    bench_options options;
    if (!parse_bench_options(arguments, options))
        return exit_success;
    if (!options.trace_file.empty() && options.suite != "dist" && launched_ranks() <= 1)
        throw usage_error("--trace: traces show runs across ranks; start it under mpirun");
    for (const std::string &file :
         {options.json_file, options.csv_file, options.plot_file, options.trace_file})
        if (!file.empty())
            check_writable(file);
    if (!options.plot_file.empty())
        check_plotter();
    int status = exit_success;
    bool verified = true;
    for (const bench_options &suite : single_suites(options)) {
        const bench_report report = run_suite(suite);
        if (launched_rank() == 0)
            write(suite, report);
        verified = verified && report.verified();
        if (report.cases_not_reached > 0) {
            status = exit_stopped;
            break;
        }
    }
    if (!verified)
        throw failure("verification failed");
    return status;
}

} // namespace
} // namespace tenfold::apps_impl

int main(int argc, char **argv) {
    using namespace tenfold::apps_impl;
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return run_program("tenfold-bench", [&] { return run(arguments); });
}
