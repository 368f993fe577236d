#include <algorithm>
#include <memory>
#include <optional>

#include <tenfold/context.hpp>

#include "apps/bench/measure.hpp"
#include "apps/bench/plan_cost.hpp"
#include "apps/bench/random_contractions.hpp"
#include "apps/bench/random_transpositions.hpp"
#include "apps/bench/suites.hpp"
#include "apps/common/ceilings.hpp"
#include "apps/common/program.hpp"
#include "apps/common/progress.hpp"
#include "apps/common/text.hpp"
#include "apps/common/timing.hpp"
#include "base/context_of.hpp"
#include "base/machine.hpp"

namespace tenfold::apps_impl {
namespace {

/// Measures the machine for the head of the report. Results are compared with ceilings that are
/// measured with each case.
void measure_machine(const bench_options &options, cache_flusher *flusher,
                     machine_result &machine) {
    machine.fma_peak_gflops = multiply_peak_gflops(options, context::global(), 0.2);
    const stream_samples samples = sample_streams(options, flusher);
    machine.copy_gbps =
        stream_traffic(stream::copy, ceiling_array_size) / minimum(samples.seconds[0]) * 1e-9;
    machine.memcpy_gbps =
        stream_traffic(stream::plain_copy, ceiling_array_size) / minimum(samples.seconds[1]) * 1e-9;
    machine.in_huge_pages = samples.in_huge_pages;
}

std::vector<bench_case> cases_of(const bench_options &options) {
    if (!options.random)
        return select_cases(options.list(), options.cases, options.file, options.type);
    const std::vector<bench_case> all =
        options.suite == "ttc"
            ? random_transpositions(*options.random)
            : read_cases(options.list(), "--random",
                         random_contractions(*options.random, options.times_calls()
                                                                  ? tiny_contractions
                                                                  : large_contractions),
                         options.type);
    return select_cases(options.list(), options.cases, all);
}

/// Removes random cases that one of the peers cannot compute, so that all peers run the same cases.
/// Returns the number of removed cases.
int leave_out_unserved(const bench_options &options, const std::vector<loaded_peer> &peers,
                       std::vector<bench_case> &cases, std::vector<std::string> &remarks) {
    if (!options.random)
        return 0;
    const std::size_t all = cases.size();
    for (const loaded_peer &one : peers) {
        const auto count = std::erase_if(cases, [&](const bench_case &which) {
            return !one.implementation->reason_against(which).empty();
        });
        if (count > 0)
            remarks.push_back(format("%s cannot compute %zu of the cases: left out",
                                     one.name.c_str(), static_cast<std::size_t>(count)));
    }
    if (cases.empty())
        throw failure("the peers can compute none of the cases: leave out --peer");
    return static_cast<int>(all - cases.size());
}

/// An instruction set on which the cases run.
struct platform {
    isa set;
    std::unique_ptr<context> own; ///< null: the global context, or none if unsupported
    const context *ctx;           ///< null: not supported
};

/// Returns the instruction set in force, or all that this machine has.
std::vector<platform> platforms_of(const bench_options &options) {
    const context &usual = context::global();
    std::vector<platform> platforms;
    if (!options.ttc.portability) {
        platforms.push_back({usual.isa(), nullptr, &usual});
        return platforms;
    }
    for (const isa set : base::machine_of(usual).isas) {
        settings chosen = usual.settings();
        chosen.isa = set;
        platforms.push_back({set, nullptr, nullptr});
        try {
            platforms.back().own = std::make_unique<context>(chosen);
            platforms.back().ctx = platforms.back().own.get();
        } catch (const error &problem) {
            if (problem.code() != errc::unsupported) // this build may have no kernels for it
                throw;
        }
    }
    return platforms;
}

} // namespace

bench_report run_cases(const bench_options &asked) {
    bench_options options = asked;
    std::vector<bench_case> cases = cases_of(options);
    const std::vector<loaded_peer> peers = load_peers(options);
    const int left_out = leave_out_unserved(options, peers, cases, options.remarks);
    const std::vector<platform> platforms = platforms_of(options);
    std::optional<cache_flusher> own_flusher;
    if (options.flush)
        own_flusher.emplace(options.threads);
    cache_flusher *flusher = own_flusher ? &*own_flusher : nullptr;

    bench_report report;
    report.cases_left_out = left_out;
    report.machine = describe_machine(options);
    measure_machine(options, flusher, report.machine);
    print_header(options, report.machine);
    if (options.ttc.portability) {
        report.portability.emplace();
        for (const platform &one : platforms)
            report.portability->isas.push_back(one.set);
    }
    progress line("tenfold-bench: case");
    for (std::size_t i = 0; i < cases.size(); ++i) {
        line.show(static_cast<int>(i), static_cast<int>(cases.size()), cases[i].name);
        std::vector<double> efficiencies;
        for (const platform &one : platforms) {
            if (one.ctx == nullptr) {
                efficiencies.push_back(0);
                continue;
            }
            report.cases.push_back(measure(cases[i], options, *one.ctx, peers, flusher));
            const case_result &result = report.cases.back();
            efficiencies.push_back(result.of_ceiling());
            report.machine.fma_peak_gflops =
                std::max(report.machine.fma_peak_gflops, result.fma_peak_gflops);
            line.clear();
            print_case(options, result);
        }
        if (report.portability)
            report.portability->cases.push_back({cases[i].name, std::move(efficiencies)});
        if (line.interrupted()) { // the cases measured so far are reported
            report.cases_not_reached = static_cast<int>(cases.size() - i) - 1;
            break;
        }
    }
    if (options.suite == "ttc")
        report.tiny_execute_seconds = seconds_of_tiny_execute(options, context::global());
    return report;
}

} // namespace tenfold::apps_impl
