// What tuning of any kind measures with: memory of its own, a clock, and races.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <tenfold/context.hpp>

#include "base/machine.hpp"
#include "base/workspace.hpp"

namespace tenfold::tuning_impl {

/// Seconds since some moment.
double seconds_since_start() noexcept;

/// Two measurements at a time would measure each other.
std::mutex &measuring();

/// The most that scratch memory may take: the context's workspace limit where one was set, else a
/// quarter of the memory that this process may use.
byte_count scratch_limit(const context &ctx);

/// Throws errc::unsupported where so much scratch memory is more than the context allows; empty: 64
/// bits do not count it.
void check_scratch(std::optional<byte_count> need, const context &ctx);

/// Memory with ordinary numbers of every type in it, written by `threads` threads. Throws
/// errc::out_of_memory, and errc::unsupported where it is not there by `deadline`: virtual machines
/// may get pages at a tenth of the rate of a copy.
base::workspace_lease scratch_memory(base::workspace_pool &pool, byte_count size, int threads,
                                     double deadline);

/// How many sets of tensors samples take in turn, so that each finds caches as a first use does:
/// those that come between two samples on one set push it out of the last caches that `threads`
/// threads have. 1 where a set fits the second-level cache, in which callers have it too, and where
/// `limit` allows no more.
int sets_in_turn(const base::machine &machine, int threads, byte_count set,
                 byte_count limit) noexcept;

/// Of the seconds of a search, what may pass until the last of these sets is there. Samples make do
/// with fewer where the system hands out memory slowly.
constexpr double share_for_sets = 0.25;

/// How often to repeat what `take(repetitions)` took the seconds of, for a sample that says more
/// about it than about the clock.
int repetitions_per_sample(const std::function<double(int)> &take);

/// What a search measures with. Tests put one in its place whose seconds are made up.
template <class Measured> class instrument {
public:
    virtual ~instrument() = default;
    /// Takes a sample: the seconds of one execution.
    virtual double seconds(const Measured &one) = 0;
    /// Seconds since some moment.
    virtual double now() const { return seconds_since_start(); }
};

constexpr int least_samples = 3; ///< a median of fewer says little

/// Takes a sample of contender k: its seconds.
using sampler = std::function<double(std::size_t k)>;

/// Median seconds of `contenders`, whose samples are taken in turn, so that whatever else the
/// machine does meets all alike; infinite for those that fell behind at once, or that time was too
/// short for. The first one is the incumbent.
std::vector<double> race(std::size_t contenders, int samples, double deadline, const sampler &take,
                         const std::function<double()> &now);

/// The same of what an instrument measures.
template <class Measured> std::vector<double> race(const std::vector<const Measured *> &field,
                                                   int samples, double deadline,
                                                   instrument<Measured> &with) {
    return race(
        field.size(), samples, deadline, [&](std::size_t k) { return with.seconds(*field[k]); },
        [&] { return with.now(); });
}

/// "one run takes 2 s, too long for a search of 1 s".
std::string too_slow_to_search(double seconds, double budget);

} // namespace tenfold::tuning_impl
