#include <algorithm>
#include <array>
#include <optional>

#include <fnmatch.h>

#include <tenfold/context.hpp>

#include "apps/bench/suites.hpp"
#include "apps/common/ceilings.hpp"
#include "apps/common/program.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::apps_impl {
namespace {

bool selected(const bench_options &options, const std::string &name) {
    return options.cases.empty() || fnmatch(options.cases.c_str(), name.c_str(), 0) == 0;
}

case_result row(const std::string &name, const std::string &formula) {
    case_result result;
    result.definition.suite = "ceilings";
    result.definition.name = name;
    result.definition.text = formula;
    result.algorithm = "none";
    return result;
}

case_result measure_fma(const bench_options &options) {
    case_result result = row("fma", "x = x a + b");
    std::vector<double> seconds_per_gflop;
    for (int repeat = 0; repeat < options.repeat; ++repeat)
        seconds_per_gflop.push_back(
            1 / fma_peak_gflops(options.type, context::global().isa(), options.threads, 0.2));
    result.flops = 1e9;
    result.seconds = {minimum(seconds_per_gflop), median(seconds_per_gflop)};
    result.fma_peak_gflops = 1 / result.seconds.min;
    result.ceiling_seconds = result.seconds.min;
    return result;
}

/// One row per kind of stream, in the order of `stream`.
struct stream_row {
    const char *name;
    const char *formula;
};
constexpr std::array<stream_row, 3> stream_rows = {
    {{"copy", "y = x, non-temporal"}, {"memcpy", "y = x"}, {"saxpy", "y = a x + y"}}};
constexpr std::array<stream, 3> streams = {stream::copy, stream::plain_copy, stream::saxpy};

} // namespace

stream_samples sample_streams(const bench_options &options, cache_flusher *flusher) {
    const page_memory from(ceiling_array_size, options.ttc.where.pages, options.threads);
    page_memory to(ceiling_array_size, options.ttc.where.pages, options.threads);
    const auto pass = [&](stream kind) {
        if (flusher != nullptr)
            flusher->flush();
        return stream_seconds({kind, options.type, context::global().isa(), options.threads},
                              to.data(), from.data(), ceiling_array_size);
    };
    pass(stream::copy); // warms up, not counted
    stream_samples samples;
    for (int repeat = 0; repeat < options.repeat; ++repeat)
        for (std::size_t i = 0; i < streams.size(); ++i)
            samples.seconds[i].push_back(pass(streams[i]));
    samples.in_huge_pages = share_in_huge_pages(to.data());
    return samples;
}

bench_report run_ceilings(const bench_options &options) {
    bench_report report;
    report.machine = describe_machine(options);
    if (selected(options, "fma"))
        report.cases.push_back(measure_fma(options));

    std::optional<cache_flusher> flusher;
    if (options.flush)
        flusher.emplace(options.threads);
    const stream_samples samples = sample_streams(options, flusher ? &*flusher : nullptr);
    const auto &seconds = samples.seconds;
    const double copy_rate = stream_traffic(stream::copy, ceiling_array_size) / minimum(seconds[0]);
    for (std::size_t i = 0; i < streams.size(); ++i) {
        if (!selected(options, stream_rows[i].name))
            continue;
        case_result result = row(stream_rows[i].name, stream_rows[i].formula);
        result.bytes = stream_traffic(streams[i], ceiling_array_size);
        result.seconds = {minimum(seconds[i]), median(seconds[i])};
        // The ceiling is the time of a copy with the same traffic.
        result.ceiling_seconds = result.bytes / copy_rate;
        report.cases.push_back(std::move(result));
    }
    if (report.cases.empty())
        throw usage_error("--cases '" + options.cases + "' matches no case of ceilings");

    report.machine.copy_gbps = copy_rate * 1e-9;
    report.machine.in_huge_pages = samples.in_huge_pages;
    report.machine.memcpy_gbps =
        stream_traffic(stream::plain_copy, ceiling_array_size) / minimum(seconds[1]) * 1e-9;
    for (const case_result &one : report.cases)
        report.machine.fma_peak_gflops =
            std::max(report.machine.fma_peak_gflops, one.fma_peak_gflops);
    print_header(options, report.machine);
    for (const case_result &one : report.cases)
        print_case(options, one);
    return report;
}

} // namespace tenfold::apps_impl
