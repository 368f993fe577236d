#include "base/learnt_memory.hpp"

#include <algorithm>

namespace tenfold::base {
namespace {

/// Copies that are slower than this share of what is typical ran in an emulator or under a tool
/// such as valgrind, which takes the process's own time. Memory of one process is rarely so slow.
constexpr double least_share = 1.0 / 8;

/// What to multiply a rate with; 0: what was seen does not say.
double factor(const seen_copy &seen, double rate) noexcept {
    if (seen.fastest >= least_share * rate)
        return seen.fastest / rate;
    return seen.at_most >= least_share * rate ? std::min(1.0, seen.at_most / rate) : 0;
}

} // namespace

machine_rates corrected(const machine_rates &rates, const seen_copies &seen) noexcept {
    const double one = factor(seen.one, rates.memory_bandwidth);
    const double all = factor(seen.all, rates.memory_bandwidth_all);
    if (one == 0 && all == 0)
        return rates;
    // The number of threads that was not seen is assumed to be off by the same factor.
    const double of_one = one > 0 ? one : all;
    const double of_all = all > 0 ? all : one;
    machine_rates result = rates;
    result.memory_bandwidth *= of_one;
    result.read_bandwidth *= of_one;
    result.update_bandwidth *= of_one;
    result.memory_bandwidth_all *= of_all;
    result.read_bandwidth_all *= of_all;
    result.update_bandwidth_all *= of_all;
    return result;
}

void learnt_memory::begin(const machine_rates &rates, int threads,
                          const seen_copies &seen) noexcept {
    at_first_ = rates;
    threads_ = threads;
    seen_ = seen;
    versions_[0] = corrected(rates, seen);
}

void learnt_memory::saw(int threads, double bytes, double seconds, bool caches_help) noexcept {
    // Smaller differences change no choice, but would change plans from one run to the next.
    constexpr double least_gain = 1.1;
    if (threads != 1 && threads != threads_)
        return;
    const std::scoped_lock alone(writes_);
    if (bytes < shortest_seconds_ * rates().memory(threads))
        return;
    seen_copy &copy = threads == 1 ? seen_.one : seen_.all;
    double &known = caches_help ? copy.at_most : copy.fastest;
    const std::size_t next = newest_.load(std::memory_order_relaxed) + 1;
    const double now = bytes / seconds;
    if (now < least_gain * known || next == versions_.size())
        return;
    known = now;
    versions_[next] = corrected(at_first_, seen_);
    newest_.store(next, std::memory_order_release);
}

seen_copies learnt_memory::seen() const noexcept {
    const std::scoped_lock alone(writes_);
    return seen_;
}

} // namespace tenfold::base
