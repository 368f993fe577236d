#include <algorithm>
#include <optional>

#include <tenfold/context.hpp>

#include "apps/ceilings.hpp"
#include "apps/progress.hpp"
#include "apps/timing.hpp"
#include "measure.hpp"
#include "plan_cost.hpp"
#include "random_cases.hpp"
#include "suites.hpp"

namespace tenfold::apps_impl {
namespace {

/// What the report says of the machine; results are held against ceilings that are measured with
/// each case.
void measure_machine(const bench_options &options, cache_flusher *flusher,
                     machine_result &machine) {
    machine.fma_peak_gflops =
        fma_peak_gflops(options.type, context::global().isa(), options.threads, 0.2);
    const stream_samples samples = sample_streams(options, flusher);
    machine.copy_gbps =
        stream_traffic(stream::copy, ceiling_array_size) / minimum(samples.seconds[0]) * 1e-9;
    machine.memcpy_gbps =
        stream_traffic(stream::plain_copy, ceiling_array_size) / minimum(samples.seconds[1]) * 1e-9;
    machine.in_huge_pages = samples.in_huge_pages;
}

std::vector<bench_case> cases_of(const bench_options &options) {
    if (options.ttc.random)
        return select_cases(options.suite, options.cases,
                            random_transpositions(*options.ttc.random));
    return select_cases(options.suite, options.cases, options.file, options.type);
}

} // namespace

bench_report run_cases(const bench_options &options) {
    const std::vector<bench_case> cases = cases_of(options);
    const std::vector<loaded_peer> peers = load_peers(options);
    std::optional<cache_flusher> own_flusher;
    if (options.flush)
        own_flusher.emplace(options.threads);
    cache_flusher *flusher = own_flusher ? &*own_flusher : nullptr;

    bench_report report;
    report.machine = describe_machine(options);
    measure_machine(options, flusher, report.machine);
    print_header(options, report.machine);
    progress line("tenfold-bench: case");
    for (std::size_t i = 0; i < cases.size(); ++i) {
        line.show(static_cast<int>(i), static_cast<int>(cases.size()), cases[i].name);
        report.cases.push_back(measure(cases[i], options, context::global(), peers, flusher));
        line.clear();
        report.machine.fma_peak_gflops =
            std::max(report.machine.fma_peak_gflops, report.cases.back().fma_peak_gflops);
        print_case(options, report.cases.back());
    }
    if (options.suite == "ttc")
        report.tiny_execute_seconds = seconds_of_tiny_execute(options, context::global());
    return report;
}

} // namespace tenfold::apps_impl
