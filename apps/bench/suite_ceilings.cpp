#include <algorithm>

#include <fnmatch.h>

#include <tenfold/context.hpp>
#include <tenfold/tensor.hpp>

#include "apps/ceilings.hpp"
#include "apps/program.hpp"
#include "apps/timing.hpp"
#include "suites.hpp"

namespace tenfold::apps_impl {
namespace {

/// As large as the tensors of the transposition and contraction suites.
constexpr byte_count array_size = {200'000'000 / 64 * 64};

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

struct stream_row {
    const char *name;
    const char *formula;
    stream kind;
};
constexpr stream_row stream_rows[] = {
    {"copy", "y = x, non-temporal", stream::copy},
    {"memcpy", "y = x", stream::plain_copy},
    {"saxpy", "y = a x + y", stream::saxpy},
};

} // namespace

bench_report run_ceilings(const bench_options &options) {
    bench_report report;
    report.machine = describe_machine(options);
    if (selected(options, "fma"))
        report.cases.push_back(measure_fma(options));

    std::vector<std::vector<double>> seconds(std::size(stream_rows));
    const bool streams = std::any_of(std::begin(stream_rows), std::end(stream_rows),
                                     [&](const auto &one) { return selected(options, one.name); });
    if (streams) {
        const tensor<float> from({array_size.value / 4});
        tensor<float> to({array_size.value / 4});
        std::optional<cache_flusher> flusher;
        if (options.flush)
            flusher.emplace(options.threads);
        const auto pass = [&](stream kind) {
            if (flusher)
                flusher->flush();
            return stream_seconds(kind, options.type, context::global().isa(), to.data(),
                                  from.data(), array_size, options.threads);
        };
        pass(stream::copy); // warms up, uncounted
        for (int repeat = 0; repeat < options.repeat; ++repeat)
            for (std::size_t i = 0; i < std::size(stream_rows); ++i)
                seconds[i].push_back(pass(stream_rows[i].kind));

        const double copy_rate = stream_traffic(stream::copy, array_size) / minimum(seconds[0]);
        for (std::size_t i = 0; i < std::size(stream_rows); ++i) {
            case_result result = row(stream_rows[i].name, stream_rows[i].formula);
            result.bytes = stream_traffic(stream_rows[i].kind, array_size);
            result.seconds = {minimum(seconds[i]), median(seconds[i])};
            // Of what the same traffic takes as a copy.
            result.ceiling_seconds = result.bytes / copy_rate;
            result.copy_gbps = copy_rate * 1e-9;
            if (stream_rows[i].kind == stream::plain_copy)
                result.memcpy_gbps = result.bytes / result.seconds.min * 1e-9;
            if (selected(options, stream_rows[i].name))
                report.cases.push_back(std::move(result));
        }
    }
    if (report.cases.empty())
        throw usage_error("--cases '" + options.cases + "' matches no case of ceilings");
    for (const case_result &one : report.cases)
        include_rates(report.machine, one);
    print_header(options, report.machine);
    for (const case_result &one : report.cases)
        print_case(options, one);
    return report;
}

} // namespace tenfold::apps_impl
