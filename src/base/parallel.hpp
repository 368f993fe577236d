// A team of threads for the length of one call.
//
// OpenMP underneath, with nothing global changed: no omp_set_*, only the num_threads clause. Inside
// somebody else's parallel region the caller is given one thread and uses that one.
//
// Members wait for each other at a barrier of ours, also before OpenMP's at the end of the region,
// which spins for milliseconds where a member is late (docs/adr/0012).
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include <omp.h>

#include <tenfold/types.hpp>

#include "base/fork.hpp"
#include "base/team_barrier.hpp"
#include "base/work.hpp"

namespace tenfold::base {

/// A half-open range [begin, end).
struct range {
    index_t begin = 0;
    index_t end = 0;
    index_t size() const noexcept { return end - begin; }
    bool empty() const noexcept { return end <= begin; }
};

/// Part `part` of `parts` of [0, n), cut at multiples of `grain`, balanced to one grain:
/// floor(i N / p) cuts, N = ceil(n / grain). For any n >= 0.
inline range split(index_t n, int parts, int part, index_t grain = 1) noexcept {
    const index_t grains = n / grain + (n % grain != 0);
    const index_t each = grains / parts;
    const index_t left = grains % parts;
    const auto cut = [&](index_t i) {
        const index_t at = each * i + left * i / parts; // i N / p, whose product might not fit
        return at == grains ? n : at * grain;
    };
    return {cut(part), cut(part + 1)};
}

/// One thread's view of its team.
class team_member {
public:
    /// `meeting` is the team's; a team of one needs none.
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

/// Runs body(team_member) on up to `threads` threads and waits for all. The team may be smaller
/// than asked for (nested regions, children of fork(), system limits): the body must ask
/// team_member::size(). The body must not throw.
template <class Body> void run_parallel(int threads, Body &&body) noexcept {
    if (threads <= 1 || omp_in_parallel() || !may_start_team()) {
        body(team_member(0, 1));
        return;
    }
    team_barrier meeting;
    work_part *const work = work_part::current();
#pragma omp parallel num_threads(threads)
    {
        const work_part::joined at(work);
        const team_member me(omp_get_thread_num(), omp_get_num_threads(), &meeting);
        body(me);
        me.barrier();
    }
}

/// `size` of `whole` iterations of a watched loop: several tell together, as one.
class part_of_loop {
public:
    part_of_loop(index_t size, index_t whole) noexcept
        : all_(static_cast<double>(size) / static_cast<double>(whole)), each_(size > 1 ? 0 : 1) {}

private:
    work_part all_;
    work_part each_;
};

/// Calls work(part) for all of `mine`: at once where nobody watches, else part by part, and no more
/// after a stop. `whole` is what all threads of the team do together.
template <class Work> void in_watched_parts(range mine, index_t whole, Work &&work) noexcept {
    constexpr index_t parts = 4096;
    const bool watched = work_part::is_watched();
    const index_t size = watched ? std::max<index_t>(1, whole / parts) : mine.size();
    // One call of `work`, so that the compiler inlines it: products of nanoseconds come this way.
    for (index_t begin = mine.begin; begin < mine.end; begin += size) {
        const range part{begin, std::min(mine.end, begin + size)};
        std::optional<part_of_loop> told;
        if (watched) {
            if (work_part::stops())
                return;
            told.emplace(part.size(), whole);
        }
        work(part);
    }
}

} // namespace tenfold::base
