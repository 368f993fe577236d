#include "distributed/comm/trace_recorder.hpp"

#include <ctime>
#include <new>
#include <utility>

#include <sys/resource.h>

namespace tenfold::dist_impl {
namespace {

/// A poll that used this much processor time moved bytes. A poll that finds nothing takes some
/// hundreds of nanoseconds; an MPI that moves messages in pieces copies at least 32 KiB at a time.
constexpr nanoseconds moving_poll = 3000;
/// The same bound for a poll during which the system ran another rank: switching also takes some
/// microseconds.
constexpr nanoseconds long_poll = 30000;
/// Pieces of one message arrive at shorter intervals than this.
constexpr nanoseconds longest_gap = 20000;
/// Intervals of one kind that are at most this far apart become one.
constexpr nanoseconds no_gap = 1000;

/// Processor time of this thread. It excludes the time in which other ranks ran on this core.
nanoseconds processor_time() noexcept {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * nanoseconds{1000000000} + time.tv_nsec;
}

long switches_of_thread() noexcept {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

double seconds(nanoseconds time) noexcept { return static_cast<double>(time) * 1e-9; }

} // namespace

const wait_clock real_clock{trace_recorder::now, processor_time, switches_of_thread};

const char *name(activity kind) noexcept {
    switch (kind) {
    case activity::compute:
        return "compute";
    case activity::pack:
        return "pack";
    case activity::communication:
        return "communication";
    case activity::idle:
        return "idle";
    case activity::plan:
        return "plan";
    case activity::call:
        return "call";
    case activity::under_way:
        return "under way";
    }
    return "";
}

// A rank whose memory runs out still takes part in the calls of the others, and its trace lacks
// what there was no memory for.

void trace_recorder::name_call(std::string_view operation, std::string_view argument) noexcept {
    const std::string &last = operations_.back();
    const bool is_known = last.size() == operation.size() + argument.size() &&
                          last.starts_with(operation) && last.ends_with(argument);
    try {
        if (!is_known)
            operations_.push_back(std::string(operation).append(argument));
        operation_ = operations_.size() - 1;
    } catch (const std::bad_alloc &) {
        operation_ = 0;
    }
}

void trace_recorder::enter(std::string_view operation, std::uint64_t number) noexcept {
    if (open_calls_ > 0)
        return;
    number_ = number;
    name_call(operation, {});
}

void trace_recorder::begin_call(std::string_view operation, std::string_view argument,
                                std::uint64_t number) noexcept {
    if (open_calls_++ > 0)
        return;
    number_ = number;
    name_call(operation, argument);
}

void trace_recorder::end_call(nanoseconds begin) noexcept {
    if (--open_calls_ > 0)
        return;
    const nanoseconds end = now();
    totals_.calls += seconds(end - begin);
    keep(activity::call, nullptr, begin, end);
}

void trace_recorder::add(activity kind, const char *what, nanoseconds begin,
                         nanoseconds end) noexcept {
    double trace_totals::*const sums[] = {&trace_totals::compute, &trace_totals::pack,
                                          &trace_totals::communication, &trace_totals::idle,
                                          &trace_totals::plan};
    totals_.*sums[static_cast<std::size_t>(kind)] += seconds(end - begin);
    if (open_transfers_ > 0 && (kind == activity::communication || kind == activity::idle))
        totals_.exposed += seconds(end - begin);
    if (!intervals_.empty()) {
        interval &last = intervals_.back();
        if (last.kind == kind && last.what == what && last.number == number_ &&
            begin - last.end <= no_gap) {
            last.end = end;
            return;
        }
    }
    keep(kind, what, begin, end);
}

void trace_recorder::begin_transfer() noexcept {
    if (open_transfers_++ == 0)
        transfers_since_ = now();
}

void trace_recorder::end_transfer(const char *what, nanoseconds begin) noexcept {
    const nanoseconds end = now();
    if (--open_transfers_ == 0)
        totals_.under_way += seconds(end - transfers_since_);
    keep(activity::under_way, what, begin, end);
}

void trace_recorder::keep(activity kind, const char *what, nanoseconds begin,
                          nanoseconds end) noexcept {
    try {
        if (intervals_.size() < most_intervals) {
            intervals_.push_back(
                {begin, end, what, number_, static_cast<std::uint32_t>(operation_), kind});
            return;
        }
    } catch (const std::bad_alloc &) { // counts as one interval too many
    }
    ++dropped_;
}

timed_wait::timed_wait(trace_recorder *recorder, const char *what) noexcept
    : recorder_(recorder), what_(what) {
    if (recorder_ == nullptr)
        return;
    since_ = last_moved_ = recorder_->clock().now();
    processor_ = recorder_->clock().processor();
    switches_ = recorder_->clock().switches();
}

void timed_wait::include(nanoseconds begin, nanoseconds end) noexcept {
    const nanoseconds before = std::exchange(processor_, recorder_->clock().processor());
    const long switches_before = std::exchange(switches_, recorder_->clock().switches());
    if (processor_ - before >= (switches_ == switches_before ? moving_poll : long_poll)) {
        if (!is_moving_) {
            recorder_->add(activity::idle, what_, since_, begin);
            since_ = begin;
            is_moving_ = true;
        }
        last_moved_ = end;
    } else if (is_moving_ && end - last_moved_ > longest_gap) {
        recorder_->add(activity::communication, what_, since_, last_moved_);
        since_ = last_moved_;
        is_moving_ = false;
    }
}

timed_wait::~timed_wait() {
    if (recorder_ != nullptr)
        recorder_->add(is_moving_ ? activity::communication : activity::idle, what_, since_,
                       recorder_->clock().now());
}

} // namespace tenfold::dist_impl
