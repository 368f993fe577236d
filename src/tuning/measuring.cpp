#include "tuning/measuring.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>

#include <unistd.h>

#include <tenfold/error.hpp>

#include "base/parallel.hpp"
#include "base/text.hpp"

namespace tenfold::tuning_impl {
namespace {

/// Shorter samples measure the clock more than the work.
constexpr double least_sample = 50e-6;
constexpr int most_repetitions = 1 << 12;

constexpr double hopeless = 1.5; ///< times the incumbent's first sample; slower contenders are
                                 ///< sampled no more

/// Returns INT64_MAX if the file does not exist or says "max".
index_t limit_in(const char *path) {
    std::ifstream file(path);
    index_t limit = 0;
    return file >> limit && limit > 0 ? limit : INT64_MAX;
}

/// Returns physical memory, or the limit of the process's cgroup if that is less.
index_t usable_memory() {
    const index_t physical = static_cast<index_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    return std::min({physical, limit_in("/sys/fs/cgroup/memory.max"),
                     limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
}

} // namespace

double seconds_since_start() noexcept {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double median(std::vector<double> samples) noexcept {
    const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::nth_element(samples.begin(), middle, samples.end());
    return *middle;
}

std::mutex &measuring() {
    static std::mutex mutex;
    return mutex;
}

byte_count scratch_limit(const context &ctx) {
    const byte_count asked = ctx.settings().workspace_limit;
    return asked.value < INT64_MAX ? asked : bytes(usable_memory() / 4);
}

base::workspace_lease scratch_memory(base::workspace_pool &pool, byte_count size, int threads,
                                     double deadline) {
    base::workspace_lease lease = pool.acquire(size);
    if (!lease)
        throw error(errc::out_of_memory,
                    "there is no memory for " + base::describe(size) + " of scratch");
    // Some processors move zeros faster, and add denormal numbers more slowly.
    constexpr int pattern = 0x3c;
    constexpr std::size_t piece = std::size_t{64} << 20;
    for (std::span<std::byte> rest = lease.memory(); !rest.empty();) {
        const std::span<std::byte> part = rest.first(std::min(piece, rest.size()));
        base::run_parallel(threads, [&](base::team_member member) {
            const base::range mine =
                base::split(static_cast<index_t>(part.size()), member.size(), member.id(),
                            /*grain=*/index_t{2} << 20);
            if (!mine.empty())
                std::memset(part.data() + mine.begin, pattern,
                            static_cast<std::size_t>(mine.size()));
        });
        rest = rest.subspan(part.size());
        if (!rest.empty() && seconds_since_start() > deadline)
            throw error(errc::unsupported, "the system takes too long to hand out " +
                                               base::describe(size) + " of scratch memory");
    }
    return lease;
}

int sets_in_turn(const base::machine &machine, int threads, byte_count set,
                 byte_count limit) noexcept {
    if (set.value <= machine.l2.size)
        return 1;
    const base::cache &last = machine.l3.size > 0 ? machine.l3 : machine.l2;
    const index_t caches = 1 + (threads - 1) / std::max(1, last.shared_by);
    // Twice what the caches hold, because replacement is not strictly by age.
    const index_t wanted = (2 * caches * last.size - 1) / set.value + 1;
    return static_cast<int>(std::max<index_t>(1, std::min(wanted, limit.value / set.value)));
}

int repetitions_per_sample(const std::function<double(int)> &take) {
    int repetitions = 1;
    while (repetitions < most_repetitions && take(repetitions) < least_sample)
        repetitions *= 2;
    return repetitions;
}

std::vector<double> race(std::size_t contenders, int samples, race_time time, const sampler &take,
                         const std::function<double()> &now) {
    const auto is_over = [&] { return std::isfinite(time.end) && now() >= time.end; };
    std::vector<std::vector<double>> taken(contenders);
    std::vector<bool> runs(contenders, true);
    bool over = false;
    for (int round = 0; round < samples && !over; ++round) {
        if (round >= least_samples && now() >= time.deadline)
            break;
        for (std::size_t k = 0; k < contenders; ++k) {
            // Alternate the direction, so that no contender always follows the same one.
            const std::size_t who = round % 2 == 0 ? k : contenders - 1 - k;
            over = over || is_over();
            if (runs[who] && !over)
                taken[who].push_back(take(who));
        }
        if (round == 0 && !over)
            for (std::size_t k = 1; k < contenders; ++k)
                runs[k] = taken[k].front() <= hopeless * taken[0].front();
    }
    std::vector<double> medians(contenders, std::numeric_limits<double>::infinity());
    for (std::size_t k = 0; k < contenders; ++k)
        if (runs[k] && (!over || static_cast<int>(taken[k].size()) >= least_samples))
            medians[k] = median(std::move(taken[k]));
    return medians;
}

void check_scratch(std::optional<byte_count> need, const context &ctx) {
    const byte_count limit = scratch_limit(ctx);
    if (!need || *need > limit)
        throw error(errc::unsupported,
                    "scratch memory would take " +
                        (need ? base::describe(*need) : "more than 64 bits count") +
                        ", the limit is " + base::describe(limit));
}

std::string too_slow_to_search(double seconds, double budget) {
    char text[96];
    std::snprintf(text, sizeof text, "one run takes %.2g s, too long for a search of %.2g s",
                  seconds, budget);
    return text;
}

} // namespace tenfold::tuning_impl
