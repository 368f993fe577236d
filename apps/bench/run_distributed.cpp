#include <algorithm>

#include <tenfold/context.hpp>
#include <tenfold/dist_tasks.hpp>
#include <tenfold/dist_trace.hpp>

#include "apps/bench/distributed_case.hpp"
#include "apps/bench/suites.hpp"
#include "apps/common/ceilings.hpp"
#include "apps/common/mpi_session.hpp"
#include "apps/common/progress.hpp"
#include "apps/common/timing.hpp"
#include "base/with_type.hpp"

namespace tenfold::apps_impl {
namespace {

/// The sum over all ranks, which measure at the same time.
double together(const world &ranks, double mine) { return all_reduce(ranks, mine, reduction::sum); }

double fma_peak_together(const world &ranks, const bench_options &options, double seconds) {
    tenfold::agree(ranks); // all measure at the same time
    return together(
        ranks, fma_peak_gflops(options.type, context::global().isa(), options.threads, seconds));
}

double copy_together(const world &ranks, const bench_options &options, byte_count size) {
    tenfold::agree(ranks); // all measure at the same time
    return together(ranks, quick_stream_gbps(stream::copy, options.type, context::global().isa(),
                                             options.threads, size));
}

/// Traces one run, without timing it, for the suite dist.
template <class T> distributed_result trace_run(const world &ranks, distributed_case<T> &work,
                                                const dist_options &dist, dist_trace *running,
                                                std::optional<index_t> resident) {
    std::optional<dist_trace> own;
    if (running == nullptr)
        running = &own.emplace(ranks);
    running->reset_totals();
    const dist_report report = work.run(dist);
    return gather_result(ranks, report, running->totals(), resident);
}

/// Shared by the cases of a run.
struct distributed_run {
    const world &ranks;
    const bench_options &options;
    const dist_options &dist;
    cache_flusher *flusher; ///< may be null
    dist_trace *trace;      ///< may be null
};

template <class T> case_result measure_distributed(const distributed_run &run,
                                                   const bench_case &definition,
                                                   const std::string &layout) {
    const auto &[ranks, options, dist, flusher, trace] = run;
    case_result result;
    result.definition = definition;
    result.ranks = ranks.size();
    result.flops = definition.flops(options.type);
    result.bytes =
        definition.bytes(size_of(options.type), size_of(options.type), options.beta != 0);

    const resident_peak resident;
    distributed_case<T> work(ranks, definition, options.beta,
                             layout == "plan"
                                 ? planned_spreads(definition, options.type, ranks.size(), dist)
                                 : default_spreads(definition, ranks.size()));
    const dist_report warm_up = work.run(dist); // not timed
    result.algorithm = name(warm_up.algorithm);
    result.across_ranks = {warm_up.bytes_received_max.value, warm_up.redistribution_max.value,
                           warm_up.peak_bytes_max.value};
    const std::optional<index_t> resident_bytes = resident.bytes();
    if (options.verify) {
        const auto found = work.verify(verified_elements);
        result.max_relative_error = found.max_relative_error;
        result.verified = found.passed();
    }
    if (options.suite == "dist") {
        result.distributed = trace_run(ranks, work, dist, trace, resident_bytes);
        result.distributed->layout = layout;
    }
    const byte_count copied = {static_cast<index_t>(result.bytes / 2) / ranks.size()};
    std::vector<double> seconds;
    for (int repeat = 0; repeat < options.repeat; ++repeat) {
        result.fma_peak_gflops =
            std::max(result.fma_peak_gflops, fma_peak_together(ranks, options, 0.02));
        result.copy_gbps = std::max(result.copy_gbps, copy_together(ranks, options, copied));
        if (flusher != nullptr)
            flusher->flush();
        seconds.push_back(work.run(dist).seconds_max);
    }
    result.seconds = {minimum(seconds), median(seconds)};
    result.ceiling_seconds =
        std::max(result.flops / result.fma_peak_gflops, result.bytes / result.copy_gbps) * 1e-9;
    return result;
}

case_result measure_distributed(const distributed_run &run, const bench_case &definition,
                                const std::string &layout) {
    return base::with_arithmetic_type(run.options.type, [&]<class T>(T) {
        return measure_distributed<T>(run, definition, layout);
    });
}

} // namespace

bench_report run_distributed_cases(const bench_options &asked) {
    if (!asked.peers.empty())
        throw usage_error("--peer: peers run on one process only");
    if (asked.choice)
        throw usage_error("--choice: plans are compared on one process only");
    if (asked.random)
        throw usage_error("--random: random contractions run on one process only");
    const mpi_session session;
    const world ranks(MPI_COMM_WORLD);
    bench_options options = asked;
    std::vector<bench_case> cases;
    run_agreed(ranks, [&] {
        cases = select_cases(options.suite, options.cases, options.file, options.type);
        for (const bench_case &one : cases)
            if (options.suite == "dist" && one.has_repeated_labels())
                throw usage_error("'" + one.text + "': suite dist takes no diagonals, for which " +
                                  "a plan's layouts are not the tensors' own");
    });
    if (!options.threads_given)
        options.threads = ranks.threads();
    settings chosen = settings::from_environment();
    chosen.threads = options.threads;
    const context ctx(chosen);
    const dist_options dist{.beta = options.beta, .algorithm = options.algorithm, .ctx = &ctx};
    std::optional<cache_flusher> flusher;
    if (options.flush)
        flusher.emplace(options.threads);

    bench_report report;
    report.machine = describe_machine(options);
    report.machine.ranks = ranks.size();
    report.machine.fma_peak_gflops = fma_peak_together(ranks, options, 0.2);
    report.machine.copy_gbps = copy_together(ranks, options, mib(64));
    const bool prints = ranks.rank() == 0;
    if (prints)
        print_header(options, report.machine);
    std::optional<dist_trace> trace;
    if (!options.trace_file.empty())
        trace.emplace(ranks);
    const distributed_run run{ranks, options, dist, flusher ? &*flusher : nullptr,
                              trace ? &*trace : nullptr};
    const std::vector<std::string> layouts = options.suite == "dist"
                                                 ? std::vector<std::string>{"plan", "default"}
                                                 : std::vector<std::string>{"default"};
    progress line("tenfold-bench: case");
    for (std::size_t i = 0; i < cases.size(); ++i)
        for (const std::string &layout : layouts) {
            line.show(static_cast<int>(i), static_cast<int>(cases.size()), cases[i].name);
            report.cases.push_back(measure_distributed(run, cases[i], layout));
            line.clear();
            report.machine.fma_peak_gflops =
                std::max(report.machine.fma_peak_gflops, report.cases.back().fma_peak_gflops);
            if (prints)
                print_case(options, report.cases.back());
        }
    if (trace)
        trace->write(options.trace_file);
    return report;
}

} // namespace tenfold::apps_impl
