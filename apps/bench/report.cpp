#include "apps/bench/report.hpp"

#include <algorithm>
#include <cstdio>

#include <tenfold/context.hpp>
#include <tenfold/version.hpp>

#include "apps/bench/means.hpp"
#include "apps/common/text.hpp"
#include "apps/common/timing.hpp"
#include "base/context_of.hpp"
#include "base/machine.hpp"

namespace tenfold::apps_impl {
namespace {

/// The extents as in a case list: "48,36" for a transposition, else "a=48,b=36".
std::string extents_text(const bench_case &one) {
    std::vector<std::string> parts;
    for (std::size_t label = 0; label < one.extents.size(); ++label)
        parts.push_back((one.suite == "ttc" ? "" : one.spec.label_names[label] + "=") +
                        std::to_string(one.extents[label]));
    if (one.suite != "ttc") // extents are in the order of labels, not of an input's modes
        std::sort(parts.begin(), parts.end());
    std::string text;
    for (const std::string &part : parts)
        text += (text.empty() ? "" : ",") + part;
    return text;
}

std::string names_of(const bench_options &options, const std::string &isa, const std::string &name,
                     const std::string &expression) {
    std::vector<leading_cell> cells;
    if (options.ttc.portability)
        cells.push_back({isa, 8});
    cells.push_back({name, 20});
    cells.push_back({expression, 24});
    return leading_cells(cells);
}

void print_forced(const case_result &one) {
    for (const algorithm which : forcible_algorithms) {
        const auto found =
            std::find_if(one.forced.begin(), one.forced.end(),
                         [which](const auto &forced) { return forced.algorithm == which; });
        std::printf("  %11s",
                    found == one.forced.end() ? "-" : describe_seconds(found->seconds.min).c_str());
    }
    if (one.forced.empty())
        std::printf(" %7s", "-");
    else
        std::printf(" %7.2f", one.choice_factor());
}

template <class Ratio> peer_summary
summarise(const std::string &name, const std::vector<case_result> &cases, const Ratio &ratio_of) {
    peer_summary summary;
    summary.name = name;
    geometric_mean mean;
    for (const case_result &one : cases) {
        const double ratio = ratio_of(one);
        mean.include(ratio);
        summary.cases_far_behind += ratio < peer_summary::far_behind;
        if (summary.worst_case.empty() || ratio < summary.worst_ratio) {
            summary.worst_ratio = ratio;
            summary.worst_case = one.definition.name;
        }
    }
    summary.geomean_ratio = mean.value();
    return summary;
}

void print(const peer_summary &peer) {
    std::printf("%s: geometric mean of ratios %.3f, worst %.3f (%s), %d below %g; above 1 Tenfold "
                "is ahead\n",
                peer.name.c_str(), peer.geomean_ratio, peer.worst_ratio, peer.worst_case.c_str(),
                peer.cases_far_behind, peer_summary::far_behind);
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

double bench_report::geomean_of_cache_ceiling() const {
    geometric_mean mean;
    for (const case_result &one : cases)
        if (const double share = one.of_roofline(one.cache_gbps); share > 0) // false for NaN
            mean.include(share);
    return mean.value();
}

double bench_report::geomean_of_efficiency() const {
    geometric_mean mean;
    for (const case_result &one : cases)
        if (one.one_thread)
            mean.include(one.parallel_efficiency(machine.threads));
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
    for (std::size_t peer = 0; peer < cases.front().peers.size(); ++peer)
        summaries.push_back(
            summarise(cases.front().peers[peer].name, cases,
                      [peer](const case_result &one) { return one.peers[peer].ratio; }));
    return summaries;
}

std::optional<peer_summary> bench_report::best_peer_summary() const {
    if (cases.empty() || cases.front().peers.size() < 2)
        return std::nullopt;
    return summarise("the fastest peer of each case", cases, [](const case_result &one) {
        return std::min_element(
                   one.peers.begin(), one.peers.end(),
                   [](const auto &peer, const auto &other) { return peer.ratio < other.ratio; })
            ->ratio;
    });
}

std::optional<one_shot_summary> bench_report::one_shots() const {
    if (cases.empty() || !cases.front().one_shot)
        return std::nullopt;
    one_shot_summary summary;
    geometric_mean mean;
    for (const case_result &one : cases) {
        const double factor = one.one_shot->min / one.seconds.min;
        mean.include(factor);
        if (factor > summary.worst_factor) {
            summary.worst_factor = factor;
            summary.worst_case = one.definition.name;
        }
    }
    summary.geomean_factor = mean.value();
    for (std::size_t peer = 0; peer < cases.front().peers.size(); ++peer)
        summary.peers.push_back(
            summarise(cases.front().peers[peer].name + ", against contract() without a plan", cases,
                      [peer](const case_result &one) {
                          return one.peers[peer].seconds.min / one.one_shot->min;
                      }));
    return summary;
}

const case_result *bench_report::worst() const {
    const auto found =
        std::min_element(cases.begin(), cases.end(), [](const auto &one, const auto &other) {
            if (one.ceiling_seconds > 0 && other.ceiling_seconds > 0)
                return one.of_ceiling() < other.of_ceiling();
            return one.ceiling_seconds > other.ceiling_seconds; // cases without a ceiling come last
        });
    return found == cases.end() || found->ceiling_seconds <= 0 ? nullptr : &*found;
}

prediction_summary bench_report::predictions() const {
    prediction_counter counter;
    for (const case_result &one : cases)
        if (one.predicted_seconds)
            counter.include(one.seconds.min, *one.predicted_seconds);
    return counter.summary();
}

bool bench_report::verified() const {
    return std::all_of(cases.begin(), cases.end(),
                       [](const case_result &one) { return one.verified; });
}

machine_result describe_machine(const bench_options &options) {
    const context &ctx = context::global();
    machine_result machine;
    machine.cpu = base::machine_of(ctx).cpu;
    machine.isa = name(ctx.isa());
    machine.threads = options.threads;
    return machine;
}

std::string leading_cells(const std::vector<leading_cell> &cells) {
    std::string line;
    std::size_t width = 0;
    bool fits = true;
    for (const leading_cell &one : cells) {
        line += one.text;
        line.append(one.width - std::min(one.width, one.text.size()) + 1, ' ');
        width += one.width + 1;
        fits = fits && one.text.size() <= one.width;
    }
    if (fits)
        return line;
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n' + std::string(width, ' ');
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
    if (options.random) {
        const random_request &random = *options.random;
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
    if (options.suite == "dist") {
        print_distributed_header(options);
        return;
    }
    const char *rate = options.suite == "ttc" || options.suite == "ceilings" ? "GB/s" : "GFLOP/s";
    std::printf("%s%11s %11s %11s %9s %9s  %-10s",
                names_of(options, "isa", "case", "expression").c_str(), "min", "median",
                "predicted", rate, "of ceil.", "algorithm");
    if (options.verify)
        std::printf(" %9s", "error");
    if (options.efficiency)
        std::printf("  %11s %6s", "one thread", "effic.");
    if (options.times_calls())
        std::printf("  %11s %6s", "no plan", "factor");
    for (const std::string &peer : options.peer_names())
        std::printf("  %11s %6s", peer.c_str(), "ratio");
    if (options.choice) {
        for (const algorithm which : forcible_algorithms)
            std::printf("  %11s", std::string(name(which)).c_str());
        std::printf(" %7s", "choice");
    }
    if (options.random)
        std::printf("  extents");
    std::printf("\n");
    std::fflush(stdout);
}

void print_case(const bench_options &options, const case_result &one) {
    if (one.distributed) {
        print_distributed_case(options, one);
        return;
    }
    const double rate = (measures_flops(one) ? one.flops : one.bytes) / one.seconds.min * 1e-9;
    char share[16] = "-";
    if (one.ceiling_seconds > 0)
        std::snprintf(share, sizeof share, "%.2f", one.of_ceiling());
    const std::string names = names_of(options, one.isa, one.definition.name, one.definition.text);
    std::printf("%s%11s %11s %11s %9.4g %9s  %-10s", names.c_str(),
                describe_seconds(one.seconds.min).c_str(),
                describe_seconds(one.seconds.median).c_str(),
                one.predicted_seconds ? describe_seconds(*one.predicted_seconds).c_str() : "-",
                rate, share, one.algorithm.c_str());
    if (options.verify && one.max_relative_error)
        std::printf(" %9.2g", *one.max_relative_error);
    if (one.one_thread)
        std::printf("  %11s %6.2f", describe_seconds(one.one_thread->min).c_str(),
                    one.parallel_efficiency(options.threads));
    if (one.one_shot)
        std::printf("  %11s %6.2f", describe_seconds(one.one_shot->min).c_str(),
                    one.one_shot->min / one.seconds.min);
    for (const peer_result &peer : one.peers)
        std::printf("  %11s %6.2f", describe_seconds(peer.seconds.min).c_str(), peer.ratio);
    if (options.choice)
        print_forced(one);
    if (options.random) // random cases are in no list, so that their expressions are printed
        std::printf("  %s", extents_text(one.definition).c_str());
    std::printf("\n");
    std::fflush(stdout);
}

void print_summary(const bench_report &report) {
    if (report.cases_not_reached > 0)
        std::printf("stopped: %d cases were not reached\n", report.cases_not_reached);
    print_distributed_summary(report);
    const case_result *worst = report.worst();
    if (worst == nullptr)
        return;
    std::printf("geometric mean %.3f of the ceiling, worst %.3f (%s)\n",
                report.geomean_of_ceiling(), worst->of_ceiling(), worst->definition.name.c_str());
    if (const double of_caches = report.geomean_of_cache_ceiling(); of_caches > 0)
        std::printf("cases that stay in caches: geometric mean %.3f of the caches' ceiling\n",
                    of_caches);
    if (report.cases.front().one_thread)
        std::printf("geometric mean of the parallel efficiency of %d threads: %.3f\n",
                    report.machine.threads, report.geomean_of_efficiency());
    for (const peer_summary &peer : report.peer_summaries())
        print(peer);
    if (const auto best = report.best_peer_summary())
        print(*best);
    if (const auto found = report.one_shots()) {
        std::printf("contract() without a plan: geometric mean %.2f x the seconds with one, worst "
                    "%.2f x (%s)\n",
                    found->geomean_factor, found->worst_factor, found->worst_case.c_str());
        for (const peer_summary &peer : found->peers)
            print(peer);
    }
    if (const prediction_summary found = report.predictions(); found.cases > 0)
        std::printf("predicted within a factor %g in %d of %d cases; in the geometric mean they "
                    "took %.2f x the predicted seconds\n",
                    prediction_summary::close, found.close_cases, found.cases, found.geomean_ratio);
    if (const choice_summary found = summarise_choices(report.cases); found.cases > 0)
        print(found);
    if (report.portability)
        print(*report.portability);
    if (report.tiny_execute_seconds > 0)
        std::printf("making a plan takes %.3g us (median of the cases, each after its first), "
                    "execute() on 8 x 8 %.3g ns\n",
                    report.median_plan_seconds() * 1e6, report.tiny_execute_seconds * 1e9);
}

} // namespace tenfold::apps_impl
