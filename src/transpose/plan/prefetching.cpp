#include "transpose/plan/prefetching.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "transpose/plan/panel.hpp"

namespace tenfold::transpose_impl {
namespace {

/// Numbers from docs/adr/0003.
constexpr index_t prefetched_lines = 96;  ///< under way at a time, for the L1 cache
constexpr index_t wanted_skew = 2;        ///< tiles
constexpr index_t endless_row = 12 << 10; ///< bytes; adding longer rows does not gain from
                                          ///< prefetching

/// Returns true if long rows that are contiguous in A are added to rows that are not contiguous in
/// B. Prefetching A would then displace prefetches that B needs.
bool reads_in_order(const schedule &plan) noexcept {
    constexpr index_t most_skipped = 2 * line;
    const index_t row_bytes = plan.run.front().extent * plan.size_a;
    return plan.how == method::rows && plan.accumulates && row_bytes >= long_added_row &&
           !plan.panel.empty() && plan.panel.front().stride_a >= row_bytes &&
           plan.panel.front().stride_a <= row_bytes + most_skipped;
}

/// Returns true if a small L1 cache can hold the lines under way until they are used, although each
/// next column is prefetched further ahead.
bool has_room_for_skew(const base::machine &machine) noexcept {
    const index_t lines = wanted_skew * streams * (streams - 1) / 2 + prefetched_lines;
    return lines * line <= machine.l1d.size / 2;
}

/// Returns true if columns of A lie in so few sets of the L1 cache that they evict each other's
/// lines before these are used.
bool columns_crowd_l1(const schedule &plan, const base::machine &machine) noexcept {
    const index_t lines_apart = plan.run.front().stride_a / line;
    const index_t sets = machine.l1d.size / (machine.l1d.ways * line);
    const index_t sets_in_use = sets / std::gcd(lines_apart, sets);
    return sets_in_use * machine.l1d.ways < prefetched_lines;
}

/// Returns how many lines of A should be under way. Those of B come in addition.
index_t lines_under_way(const schedule &plan, const base::machine &machine) noexcept {
    // What moves from the L2 to the L1 cache next takes half of the L1 cache, A and B together.
    if (plan.prefetch_level == 2)
        return machine.l1d.size / 4 / line;
    return plan.accumulates ? prefetched_lines / 2 : prefetched_lines;
}

} // namespace

bool fits_l2(const schedule &plan, const base::machine &machine) noexcept {
    return plan.elements <= machine.l2.size / (plan.size_a + plan.size_b);
}

index_t choose_prefetch_level(const schedule &plan, const base::machine &machine,
                              const schedule_options &options) noexcept {
    if (options.prefetch_level > 0)
        return options.prefetch_level;
    const bool buffered = plan.block > 0; // kernels prefetch into the L1 cache then
    const bool in_l2 = fits_l2(plan, machine) && options.part_of <= machine.l2.size;
    if (plan.how == method::elements || buffered || in_l2)
        return 1;
    if (plan.accumulates || copies_to_few_places(plan))
        return 2;
    if (plan.how != method::tiles || has_room_for_skew(machine))
        return 1;
    // The hardware's prefetchers follow neither so many columns nor several in one page.
    const bool unfollowed =
        plan.strip > streams || std::abs(plan.run.front().stride_a) < machine.page;
    return unfollowed || columns_crowd_l1(plan, machine) ? 2 : 1;
}

void choose_prefetching(schedule &plan, const base::machine &machine,
                        const schedule_options &options) noexcept {
    const bool rows = plan.how == method::rows;
    const bool in_cache = plan.elements * plan.size_b <= machine.l1d.size / 2;
    // A tile of few rows reads only a part of a line of each column, or elements on separate lines.
    const index_t in_column = std::min(plan.row_extent, plan.width);
    const index_t column =
        plan.how == method::elements
            ? in_column * std::clamp(std::abs(plan.rows.front().stride_a), plan.size_a, line)
            : std::min(in_column * plan.size_a, line);
    const index_t strip = rows ? plan.strip * plan.size_b : ceiling_of(plan.strip * column, line);
    plan.prefetch_level = choose_prefetch_level(plan, machine, options);
    plan.reads_in_order = reads_in_order(plan);
    const bool endless = plan.reads_in_order && strip >= endless_row;
    plan.ahead = options.ahead >= 0    ? options.ahead
                 : in_cache || endless ? 0
                 : rows ? std::max<index_t>(plan.reads_in_order ? 1 : 0, prefetched_bytes / strip)
                        : std::max<index_t>(plan.how == method::elements ? 1 : 4,
                                            lines_under_way(plan, machine) / strip);
    const bool skewed = plan.width < streams || plan.run.front().stride_a % bank == 0;
    plan.skew = options.skew >= 0                      ? options.skew
                : skewed && has_room_for_skew(machine) ? wanted_skew
                                                       : 0;
}

} // namespace tenfold::transpose_impl
