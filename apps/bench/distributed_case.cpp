#include "apps/bench/distributed_case.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <span>
#include <string>

#include <tenfold/dist_operations.hpp>
#include <tenfold/dist_tasks.hpp>

namespace tenfold::apps_impl {
namespace {

/// Returns a field of /proc/self/status in bytes.
std::optional<index_t> status_bytes(const std::string &field) {
    std::ifstream file("/proc/self/status");
    for (std::string word; file >> word;) {
        index_t kib = 0;
        if (word == field && file >> kib)
            return kib << 10;
    }
    return std::nullopt;
}

} // namespace

std::vector<distribution> default_spreads(const bench_case &definition, int ranks) {
    std::vector<distribution> spreads;
    for (const auto &labels : definition.spec.inputs)
        spreads.push_back(distribution::block(definition.extents_of(labels), ranks));
    spreads.push_back(distribution::block(definition.extents_of(definition.spec.output), ranks));
    return spreads;
}

std::vector<distribution> planned_spreads(const bench_case &definition, data_type type, int ranks,
                                          const dist_options &options) {
    const dist_plan plan =
        make_dist_plan(definition.spec, type, default_spreads(definition, ranks), options);
    std::vector<distribution> spreads;
    for (std::size_t i = 0; i <= definition.spec.inputs.size(); ++i)
        spreads.push_back(plan.layout_of(static_cast<int>(i)));
    return spreads;
}

resident_peak::resident_peak() {
    std::ofstream reset("/proc/self/clear_refs");
    if (reset << 5 << std::flush)
        before_ = status_bytes("VmRSS:");
}

std::optional<index_t> resident_peak::bytes() const {
    const auto now = status_bytes("VmHWM:");
    return before_ && now ? std::optional(*now - *before_) : std::nullopt;
}

distributed_result gather_result(const world &ranks, const dist_report &report,
                                 const trace_totals &totals, std::optional<index_t> resident) {
    distributed_result result;
    result.plan = report.plan.summary();
    result.received_by_rank = all_gather(ranks, report.own_bytes_received.value);
    result.redistributed_by_rank = all_gather(ranks, report.own_redistribution.value);
    result.peak_bytes = report.peak_bytes_max.value;
    result.workspace_bytes = report.workspace_max.value;
    const std::vector<index_t> residents = all_gather(ranks, resident.value_or(-1));
    if (*std::min_element(residents.begin(), residents.end()) >= 0)
        result.resident_bytes = *std::max_element(residents.begin(), residents.end());

    std::array<double, 6> sum{totals.compute, totals.pack,      totals.communication,
                              totals.idle,    totals.under_way, totals.exposed};
    all_reduce(ranks, std::span(sum), reduction::sum);
    result.compute = sum[0] / ranks.size();
    result.pack = sum[1] / ranks.size();
    result.communication = sum[2] / ranks.size();
    result.idle = sum[3] / ranks.size();
    result.overlap = sum[4] > 0 ? 1 - sum[5] / sum[4] : 1;
    return result;
}

} // namespace tenfold::apps_impl
