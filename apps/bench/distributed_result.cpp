// The numbers of the results of the suite dist, its rows and its JSON.
#include "apps/bench/distributed_result.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include <nlohmann/json.hpp>

#include "apps/bench/report.hpp"
#include "apps/common/text.hpp"
#include "base/text.hpp"

namespace tenfold::apps_impl {
namespace {

using json = nlohmann::ordered_json;

constexpr index_t least_checked = index_t{1} << 30;

index_t most(const std::vector<index_t> &values) {
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

double over(index_t value, index_t other) {
    if (other > 0)
        return static_cast<double>(value) / static_cast<double>(other);
    return value == 0 ? 1 : std::numeric_limits<double>::infinity();
}

std::string size(index_t count) { return base::describe(bytes(count)); }

/// Returns "12.3 MiB =" if the counted bytes are those of the plan, else "12.3 MiB not 10.1 MiB".
std::string against(index_t counted, index_t planned) {
    return size(counted) + (counted == planned ? " =" : " not " + size(planned));
}

std::string names_of(const std::string &name, const std::string &layout, const std::string &grid) {
    return leading_cells({{name, 12}, {layout, 8}, {grid, 9}});
}

json finite(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

} // namespace

index_t distributed_result::received() const { return most(received_by_rank); }
index_t distributed_result::redistributed() const { return most(redistributed_by_rank); }

double distributed_result::ratio_to_bound() const { return over(received(), plan.bound.value); }

double distributed_result::peak_ratio() const { return over(peak_bytes, plan.peak.value); }

std::optional<double> distributed_result::resident_ratio() const {
    if (!resident_bytes || peak_bytes < least_checked)
        return std::nullopt;
    return over(*resident_bytes, peak_bytes);
}

bool distributed_result::as_planned() const {
    return received() == plan.bytes_received.value && redistributed() == plan.redistribution.value;
}

void print_distributed_header(const bench_options &options) {
    std::printf("%s%11s %11s %9s %9s %7s %14s %14s %11s %11s %6s %14s %11s %11s",
                names_of("case", "layout", "grid").c_str(), "min", "median", "GFLOP/s", "of ceil.",
                "overlap", "received", "redistrib.", "bound", "for memory", "ratio", "peak",
                "planned", "resident");
    if (options.verify)
        std::printf(" %9s", "error");
    std::printf("\n");
    std::fflush(stdout);
}

void print_distributed_case(const bench_options &options, const case_result &one) {
    const distributed_result &found = *one.distributed;
    const dist_plan_summary &plan = found.plan;
    const processor_grid &grid = plan.grid;
    const std::string cells = format("%dx%dx%dx%d", grid.batch, grid.m, grid.n, grid.k);
    std::printf("%s%11s %11s %9.4g %9.2f %7.2f %14s %14s %11s %11s %6.3f %14s %11s",
                names_of(one.definition.name, found.layout, cells).c_str(),
                describe_seconds(one.seconds.min).c_str(),
                describe_seconds(one.seconds.median).c_str(), one.flops / one.seconds.min * 1e-9,
                one.of_ceiling(), found.overlap,
                against(found.received(), plan.bytes_received.value).c_str(),
                against(found.redistributed(), plan.redistribution.value).c_str(),
                size(plan.memory_independent_bound.value).c_str(),
                size(plan.memory_dependent_bound.value).c_str(), found.ratio_to_bound(),
                size(found.peak_bytes).c_str(), size(plan.peak.value).c_str());
    const std::optional<double> resident = found.resident_ratio();
    std::printf(" %11s", resident ? format("x %.3f", *resident).c_str() : "-");
    if (options.verify && one.max_relative_error)
        std::printf(" %9.2g", *one.max_relative_error);
    std::printf("\n");
    std::fflush(stdout);
}

void print_distributed_summary(const bench_report &report) {
    int cases = 0;
    int as_planned = 0;
    double worst_peak = 0;
    for (const case_result &one : report.cases)
        if (one.distributed) {
            ++cases;
            as_planned += one.distributed->as_planned();
            worst_peak = std::max(worst_peak, one.distributed->peak_ratio());
        }
    if (cases > 0)
        std::printf("bytes received are the plan's in %d of %d rows; counted peak memory is at "
                    "most %.3f x the plan's\n",
                    as_planned, cases, worst_peak);
}

json distributed_object(const distributed_result &found) {
    const dist_plan_summary &plan = found.plan;
    json object = {
        {"layout", found.layout},
        {"grid",
         {{"batch", plan.grid.batch}, {"m", plan.grid.m}, {"n", plan.grid.n}, {"k", plan.grid.k}}},
        {"bytes_received_planned", plan.bytes_received.value},
        {"bytes_received_by_rank", found.received_by_rank},
        {"redistribution_bytes_planned", plan.redistribution.value},
        {"redistribution_bytes_by_rank", found.redistributed_by_rank},
        {"bound_bytes", plan.bound.value},
        {"memory_independent_bound_bytes", plan.memory_independent_bound.value},
        {"memory_dependent_bound_bytes", plan.memory_dependent_bound.value},
        {"ratio_to_bound", finite(found.ratio_to_bound())},
        {"overlap", found.overlap},
        {"seconds",
         {{"compute", found.compute},
          {"pack", found.pack},
          {"communication", found.communication},
          {"idle", found.idle}}},
        {"workspace_bytes_max", found.workspace_bytes},
        {"peak_bytes_planned", plan.peak.value},
        {"peak_ratio", finite(found.peak_ratio())},
        {"resident_bytes_max", nullptr},
        {"resident_ratio", nullptr},
    };
    if (found.resident_bytes)
        object["resident_bytes_max"] = *found.resident_bytes;
    if (const std::optional<double> ratio = found.resident_ratio())
        object["resident_ratio"] = *ratio;
    return object;
}

} // namespace tenfold::apps_impl
