#include "report.hpp"

#include <algorithm>
#include <cstdio>

#include <tenfold/context.hpp>
#include <tenfold/version.hpp>

#include "apps/text.hpp"
#include "apps/timing.hpp"
#include "base/machine.hpp"
#include "means.hpp"

namespace tenfold::apps_impl {
namespace {

/// "48,36", as in a case list.
std::string joined(const extents_t &extents) {
    std::string text;
    for (const index_t extent : extents)
        text += (text.empty() ? "" : ",") + std::to_string(extent);
    return text;
}

bool measures_flops(const case_result &one) { return one.flops > 0; }

} // namespace

double bench_report::geomean_of_ceiling() const {
    geometric_mean mean;
    for (const case_result &one : cases)
        if (one.ceiling_seconds > 0)
            mean.include(one.of_ceiling());
    return mean.value();
}

double bench_report::median_plan_seconds() const {
    if (cases.empty())
        return 0;
    std::vector<double> seconds;
    for (const case_result &one : cases)
        seconds.push_back(one.plan_seconds);
    return median(std::move(seconds));
}

std::vector<peer_summary> bench_report::peer_summaries() const {
    std::vector<peer_summary> summaries;
    if (cases.empty())
        return summaries;
    for (std::size_t peer = 0; peer < cases.front().peers.size(); ++peer) {
        peer_summary summary;
        summary.name = cases.front().peers[peer].name;
        geometric_mean mean;
        for (const case_result &one : cases) {
            const double ratio = one.peers[peer].ratio;
            mean.include(ratio);
            if (summary.worst_case.empty() || ratio < summary.worst_ratio) {
                summary.worst_ratio = ratio;
                summary.worst_case = one.definition.name;
            }
        }
        summary.geomean_ratio = mean.value();
        summaries.push_back(std::move(summary));
    }
    return summaries;
}

const case_result *bench_report::worst() const {
    const auto found =
        std::min_element(cases.begin(), cases.end(), [](const auto &one, const auto &other) {
            if (one.ceiling_seconds > 0 && other.ceiling_seconds > 0)
                return one.of_ceiling() < other.of_ceiling();
            return one.ceiling_seconds > other.ceiling_seconds; // those without a ceiling last
        });
    return found == cases.end() || found->ceiling_seconds <= 0 ? nullptr : &*found;
}

prediction_summary bench_report::predictions() const {
    prediction_summary summary;
    geometric_mean mean;
    for (const case_result &one : cases) {
        if (!one.predicted_seconds)
            continue;
        const double ratio = one.seconds.min / *one.predicted_seconds;
        mean.include(ratio);
        ++summary.cases;
        if (std::max(ratio, 1 / ratio) <= prediction_summary::close)
            ++summary.close_cases;
    }
    if (summary.cases > 0)
        summary.geomean_ratio = mean.value();
    return summary;
}

bool bench_report::verified() const {
    return std::all_of(cases.begin(), cases.end(),
                       [](const case_result &one) { return one.verified; });
}

machine_result describe_machine(const bench_options &options) {
    const context &ctx = context::global();
    machine_result machine;
    machine.cpu = ctx.machine().cpu;
    machine.isa = name(ctx.isa());
    machine.threads = options.threads;
    return machine;
}

void print_header(const bench_options &options, const machine_result &machine) {
    std::printf("tenfold-bench %s, tenfold %s, %s, %s, %s, %d %s", options.suite.c_str(), version(),
                options.type_name().c_str(), machine.cpu.c_str(), machine.isa.c_str(),
                machine.threads, machine.threads == 1 ? "thread" : "threads");
    if (machine.ranks > 1)
        std::printf(" on each of %d ranks", machine.ranks);
    std::printf(", beta %g, caches %s\n", options.beta, options.flush ? "flushed" : "as they are");
    if (options.suite == "ttc") {
        std::printf("%s", describe(options.ttc).c_str());
        if (machine.in_huge_pages)
            std::printf(" (the arrays of the copy: %.0f %% huge)", 100 * *machine.in_huge_pages);
        std::printf("\n");
    }
    if (options.ttc.random) {
        const random_request &random = *options.ttc.random;
        std::printf("random cases of seed %u: again with --random %d:%u, one of them with --cases "
                    "and its name\n",
                    random.seed, random.count, random.seed);
    }
    for (const std::string &remark : options.remarks)
        std::printf("%s\n", remark.c_str());
    if (machine.fma_peak_gflops > 0)
        std::printf("%s peak %.4g GFLOP/s, ", options.is_mixed() ? "multiply-add" : "FMA",
                    machine.fma_peak_gflops);
    std::printf("copy %.4g GB/s, memcpy %.4g GB/s\n", machine.copy_gbps, machine.memcpy_gbps);
    const char *rate = options.suite == "ttc" || options.suite == "ceilings" ? "GB/s" : "GFLOP/s";
    if (options.ttc.portability)
        std::printf("%-8s ", "isa");
    std::printf("%-20s %-24s %11s %11s %11s %9s %9s  %-10s", "case", "expression", "min", "median",
                "predicted", rate, "of ceil.", "algorithm");
    if (options.verify)
        std::printf(" %9s", "error");
    for (const peer_name &peer : options.peers)
        std::printf("  %11s %6s", peer.name.c_str(), "ratio");
    if (options.ttc.random)
        std::printf("  extents");
    std::printf("\n");
    std::fflush(stdout);
}

void print_case(const bench_options &options, const case_result &one) {
    const double rate = (measures_flops(one) ? one.flops : one.bytes) / one.seconds.min * 1e-9;
    char share[16] = "-";
    if (one.ceiling_seconds > 0)
        std::snprintf(share, sizeof share, "%.2f", one.of_ceiling());
    if (options.ttc.portability)
        std::printf("%-8s ", one.isa.c_str());
    std::printf("%-20s %-24s %11s %11s %11s %9.4g %9s  %-10s", one.definition.name.c_str(),
                one.definition.text.c_str(), describe_seconds(one.seconds.min).c_str(),
                describe_seconds(one.seconds.median).c_str(),
                one.predicted_seconds ? describe_seconds(*one.predicted_seconds).c_str() : "-",
                rate, share, one.algorithm.c_str());
    if (options.verify && one.max_relative_error)
        std::printf(" %9.2g", *one.max_relative_error);
    for (const peer_result &peer : one.peers)
        std::printf("  %11s %6.2f", describe_seconds(peer.seconds.min).c_str(), peer.ratio);
    if (options.ttc.random) // no list shows them
        std::printf("  %s", joined(one.definition.extents).c_str());
    std::printf("\n");
    std::fflush(stdout);
}

void print_summary(const bench_report &report) {
    const case_result *worst = report.worst();
    if (worst == nullptr)
        return;
    std::printf("geometric mean %.3f of the ceiling, worst %.3f (%s)\n",
                report.geomean_of_ceiling(), worst->of_ceiling(), worst->definition.name.c_str());
    for (const peer_summary &peer : report.peer_summaries())
        std::printf("%s: geometric mean of ratios %.3f, worst %.3f (%s); above 1 Tenfold is "
                    "ahead\n",
                    peer.name.c_str(), peer.geomean_ratio, peer.worst_ratio,
                    peer.worst_case.c_str());
    if (const prediction_summary found = report.predictions(); found.cases > 0)
        std::printf("predicted within a factor %g in %d of %d cases; in the geometric mean they "
                    "took %.2f x the predicted seconds\n",
                    prediction_summary::close, found.close_cases, found.cases, found.geomean_ratio);
    if (report.portability)
        print(*report.portability);
    if (report.tiny_execute_seconds > 0)
        std::printf("making a plan takes %.3g us (median of the cases, each after its first), "
                    "execute() on 8 x 8 %.3g ns\n",
                    report.median_plan_seconds() * 1e6, report.tiny_execute_seconds * 1e9);
}

} // namespace tenfold::apps_impl
