// A team of threads for the duration of one call.
//
// Uses OpenMP without changing global state: no omp_set_*, only the num_threads clause. Inside
// another parallel region the team is the calling thread alone.
//
// Members wait at our own barrier, also at the end of the region before OpenMP's implicit barrier,
// which spins for milliseconds when a member is late (docs/adr/0012).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include <omp.h>

#include <tenfold/types.hpp>

#include "base/work.hpp"

namespace tenfold::base {

/// A half-open range [begin, end).
struct range {
    index_t begin = 0;
    index_t end = 0;
    index_t size() const noexcept { return end - begin; }
    bool empty() const noexcept { return end <= begin; }
};

/// Returns part `part` of `parts` of [0, n), cut at multiples of `grain` and balanced to one grain:
/// with N = ceil(n / grain) grains and p parts, the cuts are floor(i N / p). For any n >= 0.
inline range split(index_t n, int parts, int part, index_t grain = 1) noexcept {
    const index_t grains = n / grain + (n % grain != 0);
    const index_t each = grains / parts;
    const index_t left = grains % parts;
    const auto cut = [&](index_t i) {
        const index_t at = each * i + left * i / parts; // i N may overflow
        return at == grains ? n : at * grain;
    };
    return {cut(part), cut(part + 1)};
}

/// A reusable barrier for one team that does not keep a core from other threads for long.
///
/// Waiting threads first spin, then yield, then sleep. OpenMP's barrier spins for milliseconds:
/// libgomp counts the threads of this process, but cannot tell that another rank of the node, or
/// another program, needs the core.
class team_barrier {
public:
    /// Waits until `members` threads have arrived.
    void wait(int members) noexcept;

private:
    bool passed(std::uint32_t round) const noexcept {
        return round_.load(std::memory_order_acquire) != round;
    }

    /// Counts barriers; waiting threads sleep on it. It has a cache line of its own, because
    /// threads spin on it while others write arrived_.
    alignas(64) std::atomic<std::uint32_t> round_{0};
    alignas(64) std::atomic<int> arrived_{0};
};

/// One thread's view of its team.
class team_member {
public:
    /// `meeting` is the team's barrier; a team of one needs none.
    team_member(int id, int size, team_barrier *meeting = nullptr) noexcept
        : id_(id), size_(size), meeting_(meeting) {}
    int id() const noexcept { return id_; }
    int size() const noexcept { return size_; }

    /// Waits for the whole team; every member must call it.
    void barrier() const noexcept {
        if (size_ > 1)
            meeting_->wait(size_);
    }

private:
    int id_;
    int size_;
    team_barrier *meeting_;
};

/// Whether the calling thread may start a team; if true, it counts as having started one. A child
/// of fork() has none of its parent's threads, but OpenMP's run time assumes that those of the last
/// team still exist and would wait for them forever. So the thread that forked works alone in the
/// child if it had started a team before. Other threads of the child may start teams.
bool may_start_team() noexcept;

/// Bounds the teams that the calling thread starts during the lifetime of the object, and learns
/// how large they were.
class team_bound {
public:
    explicit team_bound(int most) noexcept : most_(most), before_(current_) { current_ = this; }
    ~team_bound() { current_ = before_; }
    team_bound(const team_bound &) = delete;
    team_bound &operator=(const team_bound &) = delete;

    /// The members of the largest team until now; 1 if there was none.
    int largest() const noexcept { return largest_; }

    /// How many threads the calling thread may have in a team of `wanted`.
    static int allowed(int wanted) noexcept {
        return current_ == nullptr ? wanted : std::min(wanted, current_->most_);
    }
    /// A team of so many works for the calling thread.
    static void tell(int members) noexcept {
        if (current_ != nullptr)
            current_->largest_ = std::max(current_->largest_, members);
    }

private:
    static constinit thread_local team_bound *current_;

    int most_;
    int largest_ = 1;
    team_bound *before_;
};

/// How many threads a team that asks for `wanted` may have: 1 inside another team and in children
/// of fork().
inline int team_for(int wanted) noexcept {
    if (wanted <= 1 || omp_in_parallel() || !may_start_team())
        return 1;
    return team_bound::allowed(wanted);
}

/// Runs body(team_member) on up to `threads` threads and waits for all of them. The team may be
/// smaller than requested (team_for(), system limits), so the body must use team_member::size().
/// The body must not throw.
template <class Body> void run_parallel(int threads, Body &&body) noexcept {
    const int most = team_for(threads);
    if (most <= 1) {
        body(team_member(0, 1));
        return;
    }
    team_barrier meeting;
    work_part *const work = work_part::current();
#pragma omp parallel num_threads(most)
    {
        const work_part::joined at(work);
        const team_member me(omp_get_thread_num(), omp_get_num_threads(), &meeting);
        if (me.id() == 0)
            team_bound::tell(me.size());
        body(me);
        me.barrier();
    }
}

/// Calls work(part) for all of `mine`: once in a call without a control, else in as many parts as
/// are worthwhile, and no more after a stop. `whole` is the number of iterations of the whole team.
/// `grain` of them go together: all parts but the last are multiples of it.
template <class Work>
void in_watched_parts(range mine, index_t whole, Work &&work, index_t grain = 1) noexcept {
    if (!work_part::is_watched())
        return work(mine);
    const double parts = std::max(1.0, work_part::worthwhile_parts());
    if (parts == 1 && mine.size() == whole) { // no part of its own: it is all of the current one
        if (!work_part::stops())
            work(mine);
        return;
    }
    const index_t enough = whole / static_cast<index_t>(parts);
    const index_t size = std::max(enough / grain * grain, grain);
    for (index_t begin = mine.begin; begin < mine.end; begin += size) {
        if (work_part::stops())
            return;
        const range part{begin, std::min(mine.end, begin + size)};
        const work_part all(static_cast<double>(part.size()) / static_cast<double>(whole));
        const work_part each(part.size() > 1 ? 0 : 1); // several tell together, as one
        work(part);
    }
}

} // namespace tenfold::base
