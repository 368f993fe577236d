#include "transpose/plan/price.hpp"

#include <algorithm>

#include "base/context_of.hpp"
#include "base/machine.hpp"
#include "transpose/plan/panel.hpp"
#include "transpose/plan/plan_state.hpp"
#include "transpose/plan/schedule.hpp"

namespace tenfold::transpose_impl {
namespace {

double real(index_t n) noexcept { return static_cast<double>(n); }

neighbours neighbours_of(const schedule &plan, bool in_memory) noexcept {
    if (plan.how == method::rows)
        return {.run = plan.run.empty() ? 1 : plan.run.front().extent};
    if (plan.how == method::elements)
        return {.stay = false};
    const bool cuts_lines = in_memory && !(plan.joins && plan.run_extent <= most_interleaved);
    return {.stay = false,
            .run = std::min(plan.row_extent, plan.run_extent),
            .written = cuts_lines ? plan.run_extent : 0};
}

} // namespace

double move_prices::start() const noexcept {
    // Zen 5: 55 ns for 16 elements, of which 11 are the kernel's call. The rest is the walk over
    // units, panels and strips.
    constexpr double calls = 5;
    return calls * moves_.rates().call;
}

double move_prices::efficiency(const neighbours &near, index_t size) const noexcept {
    const base::machine_rates &rates = moves_.rates();
    return near.stay ? rates.transpose_kept
                     : rates.transpose_moved * speed_of_runs(near.written * size);
}

double move_prices::of_runs(double bytes, const neighbours &near, index_t size,
                            int threads) const noexcept {
    // From 200 random transpositions in memory: the run, in bytes, that reaches half of the full
    // speed, if neighbours stay together and if they are separated. That is the core's time, and so
    // no less where data comes from a cache.
    constexpr double half_speed_stay = 40;
    constexpr double half_speed_part = 8;
    return bytes * (near.stay ? half_speed_stay : half_speed_part) / (real(near.run) * real(size)) /
           moves_.rates().memory(threads);
}

double move_prices::seconds(double elements, const element_sizes &sizes, const neighbours &near,
                            int most_threads, double in_use) const noexcept {
    const double written = real(sizes.written);
    const base::machine_rates &rates = moves_.rates();
    const int threads = worthwhile_threads(elements * written, most_threads);
    const double bytes = elements * (real(sizes.read) * moves_.line_waste(near.step) + written);
    const double in_bytes =
        bytes / moves_.bandwidth(std::max(bytes, in_use), rates.memory(threads), threads);
    return start() + rates.fork_join(threads) +
           (in_bytes + of_runs(bytes, near, sizes.written, threads)) /
               efficiency(near, sizes.written);
}

double move_prices::least(double elements, index_t size, int threads) const noexcept {
    const double bytes = 2 * elements * real(size);
    const base::machine_rates &rates = moves_.rates();
    const double efficiency = std::max(rates.transpose_kept, rates.transpose_moved);
    const double fastest = std::max(rates.memory(threads), rates.cache_bandwidth * threads);
    return rates.call / threads + bytes / (efficiency * fastest);
}

void plan_state::predict(const context &ctx) noexcept {
    constexpr double element_in_cache = 3.3e-9; // seconds per element, one by one
    const schedule &plan = overwrites;
    const base::machine_rates &rates = base::rates_of(ctx);
    const base::machine &machine = base::machine_of(ctx);
    const auto elements = static_cast<double>(plan.elements);
    const double moved = elements * static_cast<double>(plan.size_a + plan.size_b);
    const bool cached = moved <= static_cast<double>(machine.l2.size) * plan.threads;
    const base::traffic moves(machine, rates, plan.size_a);
    seconds = move_prices(moves).seconds(elements, {plan.size_a, plan.size_b},
                                         neighbours_of(plan, /*in_memory=*/!cached), plan.threads);
    if (plan.how == method::elements)
        seconds = std::max(seconds, elements * (cached ? element_in_cache : rates.strided_line) /
                                        plan.threads);

    // Most of what is so many times larger than the caches comes from memory, whatever ran before.
    // What they may have held is not counted, so that the memory does not seem faster than it is.
    constexpr double times_caches = 4;
    const auto held = static_cast<double>(std::max(machine.l3.size, machine.l2.size));
    caches_help = moved <= times_caches * held;
    // A line that is written through the cache is read first.
    const double filled = cached || plan.stream ? 0.0 : elements * static_cast<double>(plan.size_b);
    as_copied_bytes = (moved + filled - (caches_help ? 0 : held)) / rates.transpose_kept;
    // Shorter runs, and tiles, may be slow for reasons of their own.
    const bool copies = !cached && plan.how == method::rows &&
                        plan.run.front().extent * plan.size_b >= machine.page;
    learner = copies ? base::learner_of(ctx) : nullptr;
}

} // namespace tenfold::transpose_impl
