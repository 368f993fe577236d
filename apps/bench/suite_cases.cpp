#include <optional>

#include <tenfold/context.hpp>

#include "apps/ceilings.hpp"
#include "apps/progress.hpp"
#include "measure.hpp"
#include "suites.hpp"

namespace tenfold::apps_impl {
namespace {

/// For the header only: the ceilings that results are held against are measured with each case.
void measure_machine(const bench_options &options, machine_result &machine) {
    const isa set = context::global().isa();
    machine.fma_peak_gflops = fma_peak_gflops(options.type, set, options.threads, 0.2);
    machine.copy_gbps =
        quick_stream_gbps(stream::copy, options.type, set, options.threads, mib(64));
}

} // namespace

bench_report run_cases(const bench_options &options) {
    const std::vector<bench_case> cases =
        select_cases(options.suite, options.cases, options.file, options.type);
    const std::vector<loaded_peer> peers = load_peers(options);
    std::optional<cache_flusher> flusher;
    if (options.flush)
        flusher.emplace(options.threads);

    bench_report report;
    report.machine = describe_machine(options);
    measure_machine(options, report.machine);
    print_header(options, report.machine);
    progress line("tenfold-bench: case");
    for (std::size_t i = 0; i < cases.size(); ++i) {
        line.show(static_cast<int>(i), static_cast<int>(cases.size()), cases[i].name);
        report.cases.push_back(measure(cases[i], options, peers, flusher ? &*flusher : nullptr));
        line.clear();
        include_rates(report.machine, report.cases.back());
        print_case(options, report.cases.back());
    }
    return report;
}

} // namespace tenfold::apps_impl
