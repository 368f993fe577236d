// The tools with which tuning measures: scratch memory, a clock, and races.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <tenfold/context.hpp>

#include "base/machine.hpp"
#include "base/workspace.hpp"

namespace tenfold::tuning_impl {

/// Returns seconds since a fixed time.
double seconds_since_start() noexcept;

/// Returns the middle one of at least one sample; of an even number, the larger of the two.
double median(std::vector<double> samples) noexcept;

/// Returns a mutex for measurements: two at a time would disturb each other.
std::mutex &measuring();

/// Returns the most bytes that scratch memory may take: the context's workspace limit if one was
/// set, otherwise a quarter of the memory that this process may use.
byte_count scratch_limit(const context &ctx);

/// Throws errc::unsupported if this is more scratch memory than the context allows; `need` is empty
/// if it exceeds 64 bits.
void check_scratch(std::optional<byte_count> need, const context &ctx);

/// Returns memory that holds normal numbers of every type, written by `threads` threads. Throws
/// errc::out_of_memory, and errc::unsupported if the system does not provide it by `deadline`:
/// virtual machines may provide pages at a tenth of the rate of a copy.
base::workspace_lease scratch_memory(base::workspace_pool &pool, byte_count size, int threads,
                                     double deadline);

/// Returns how many sets of tensors samples use in turn, so that each sample finds its set out of
/// cache, as a first use does: the sets used in between evict it from the last-level caches of
/// `threads` threads. Returns 1 if a set fits the second-level cache, where callers have it too, or
/// if `limit` allows no more.
int sets_in_turn(const base::machine &machine, int threads, byte_count set,
                 byte_count limit) noexcept;

/// The part of a search's seconds after which the last of these sets must exist. If the system
/// provides memory slowly, samples use fewer sets.
constexpr double share_for_sets = 0.25;

/// Returns how many repetitions make a sample long compared with the clock's error.
/// `take(repetitions)` executes them and returns the seconds.
int repetitions_per_sample(const std::function<double(int)> &take);

/// Measures for a search. Tests use one with made-up times.
template <class Measured> class instrument {
public:
    virtual ~instrument() = default;
    /// Takes a sample: the seconds of one execution.
    virtual double seconds(const Measured &one) = 0;
    /// Returns seconds since a fixed time.
    virtual double now() const { return seconds_since_start(); }
};

constexpr int least_samples = 3; ///< a median of fewer says little

/// Takes a sample of contender k and returns its seconds.
using sampler = std::function<double(std::size_t k)>;

/// When a race has taken samples enough.
struct race_time {
    double deadline; ///< after which no round begins but the first ones
    double end = std::numeric_limits<double>::infinity(); ///< after which no sample begins

    race_time(double until) : deadline(until) {}
    race_time(double until, double at_last) : deadline(until), end(at_last) {}
};

/// Returns the median seconds of `contenders`. Samples are taken in turn, so that other load on the
/// machine affects all contenders alike. The first contender is the incumbent. The result is
/// infinite for contenders that were much slower at once or for which time was too short.
std::vector<double> race(std::size_t contenders, int samples, race_time time, const sampler &take,
                         const std::function<double()> &now);

/// The same for schedules that an instrument measures.
template <class Measured> std::vector<double> race(const std::vector<const Measured *> &field,
                                                   int samples, race_time time,
                                                   instrument<Measured> &with) {
    return race(
        field.size(), samples, time, [&](std::size_t k) { return with.seconds(*field[k]); },
        [&] { return with.now(); });
}

/// Returns "one run takes 2 s, too long for a search of 1 s".
std::string too_slow_to_search(double seconds, double budget);

} // namespace tenfold::tuning_impl
