#include "transpose/scratch.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>

#include <unistd.h>

#include "base/parallel.hpp"
#include "base/size_text.hpp"

namespace tenfold::transpose_impl {
namespace {

/// Shorter ones say more about the clock than about the schedule.
constexpr double least_sample = 50e-6;
constexpr int most_executions = 1 << 12;

std::optional<index_t> bytes_between(const layout &shape, data_type type) noexcept {
    index_t span = 0;
    if (__builtin_sub_overflow(shape.highest(), shape.lowest(), &span) ||
        __builtin_add_overflow(span, 1, &span) ||
        __builtin_mul_overflow(span, size_of(type), &span))
        return std::nullopt;
    return span;
}

/// INT64_MAX where the file is not there or says "max".
index_t limit_in(const char *path) {
    std::ifstream file(path);
    index_t limit = 0;
    return file >> limit && limit > 0 ? limit : INT64_MAX;
}

/// Physical memory, or what the process's group may take of it.
index_t usable_memory() {
    const index_t physical = static_cast<index_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    return std::min({physical, limit_in("/sys/fs/cgroup/memory.max"),
                     limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
}

double seconds_since_start() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

base::workspace_lease touched(base::workspace_pool &pool, index_t size, int threads,
                              double deadline) {
    base::workspace_lease lease = pool.acquire(bytes(size));
    if (!lease)
        throw error(errc::out_of_memory,
                    "there is no memory for " + base::describe(bytes(size)) + " of scratch");
    // Ordinary numbers in every type: some processors move zeros faster, and add denormal numbers
    // slower.
    constexpr int pattern = 0x3c;
    constexpr std::size_t piece = std::size_t{64} << 20;
    for (std::span<std::byte> rest = lease.memory(); !rest.empty();) {
        const std::span<std::byte> part = rest.first(std::min(piece, rest.size()));
        base::run_parallel(threads, [&](base::team_member member) {
            const base::range mine = base::split(static_cast<index_t>(part.size()), member.size(),
                                                 member.id(), /*grain=*/index_t{2} << 20);
            if (!mine.empty())
                std::memset(part.data() + mine.begin, pattern,
                            static_cast<std::size_t>(mine.size()));
        });
        rest = rest.subspan(part.size());
        if (!rest.empty() && seconds_since_start() > deadline)
            throw error(errc::unsupported, "the system takes too long to hand out " +
                                               base::describe(bytes(size)) + " of scratch memory");
    }
    return lease;
}

} // namespace

std::optional<byte_count> scratch_bytes(const transpose_plan::state &plan) noexcept {
    const std::optional<index_t> a = bytes_between(plan.a, plan.type_a);
    const std::optional<index_t> b = bytes_between(plan.b, plan.type_b);
    index_t sum = 0;
    if (!a || !b || __builtin_add_overflow(*a, *b, &sum))
        return std::nullopt;
    return bytes(sum);
}

byte_count scratch_limit(const context &ctx) {
    const byte_count asked = ctx.settings().workspace_limit;
    return asked.value < INT64_MAX ? asked : bytes(usable_memory() / 4);
}

scratch_instrument::scratch_instrument(const transpose_plan::state &plan, double most_seconds)
    : plan_(plan) {
    const double deadline = now() + most_seconds;
    const auto take_for = [&](const layout &shape, data_type type) {
        return touched(pool_, bytes_between(shape, type).value_or(INT64_MAX), plan.threads,
                       deadline);
    };
    a_ = take_for(plan.a, plan.type_a);
    b_ = take_for(plan.b, plan.type_b);
}

double scratch_instrument::now() const { return seconds_since_start(); }

double scratch_instrument::take(const schedule &candidate, int executions) {
    (candidate.accumulates ? plan_.accumulates : plan_.overwrites) = candidate;
    const std::byte *a = a_.memory().data() - plan_.a.lowest() * size_of(plan_.type_a);
    std::byte *b = b_.memory().data() - plan_.b.lowest() * size_of(plan_.type_b);
    const scalar beta = candidate.accumulates ? 1.0 : 0.0;
    const double before = now();
    for (int k = 0; k < executions; ++k)
        // Pointers, types and overlap are as they should be: this cannot fail.
        static_cast<void>(plan_.execute(1.0, a, beta, b));
    return now() - before;
}

double scratch_instrument::seconds(const schedule &candidate) {
    int &executions = executions_[candidate.accumulates ? 1 : 0];
    if (executions == 0) {
        executions = 1;
        while (executions < most_executions && take(candidate, executions) < least_sample)
            executions *= 2;
    }
    return take(candidate, executions) / executions;
}

} // namespace tenfold::transpose_impl
