// Records the intervals of a trace: how a rank spends its time. Without a trace the only cost is a
// test of a pointer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/dist_trace.hpp>

namespace tenfold::dist_impl {

enum class activity : std::uint8_t { compute, pack, communication, idle, plan, call, under_way };
const char *name(activity kind) noexcept;

using nanoseconds = std::int64_t;

/// The clocks that tell moving bytes from waiting. Tests pass clocks with made-up times.
struct wait_clock {
    nanoseconds (*now)() noexcept;       ///< this rank's steady clock
    nanoseconds (*processor)() noexcept; ///< processor time that this thread has used
    long (*switches)() noexcept;         ///< how often the system took the core from this thread
};
extern const wait_clock real_clock;

class trace_recorder {
public:
    using nanoseconds = dist_impl::nanoseconds; ///< on this rank's steady clock

    explicit trace_recorder(const wait_clock &clock = real_clock) : clock_(clock) {}
    const wait_clock &clock() const noexcept { return clock_; }

    struct interval {
        nanoseconds begin, end;
        const char *what;     ///< a string literal, or null for the operation as a whole
        std::uint64_t number; ///< number of the collective call
        std::uint32_t operation;
        activity kind;
    };

    static nanoseconds now() noexcept {
        return std::chrono::steady_clock::now().time_since_epoch().count();
    }

    /// Assigns the intervals that follow to this collective call, or to the enclosing call if one
    /// is open.
    void enter(std::string_view operation, std::uint64_t number) noexcept;
    /// `argument` follows the operation's name.
    void begin_call(std::string_view operation, std::string_view argument,
                    std::uint64_t number) noexcept;
    void end_call(nanoseconds begin) noexcept;

    /// Adds an interval. Intervals of one rank are added in the order of their ends and do not
    /// overlap.
    void add(activity kind, const char *what, nanoseconds begin, nanoseconds end) noexcept;

    /// Records messages that are under way together, until all of them have completed.
    void begin_transfer() noexcept;
    void end_transfer(const char *what, nanoseconds begin) noexcept;

    const std::vector<interval> &intervals() const noexcept { return intervals_; }
    const std::vector<std::string> &operations() const noexcept { return operations_; }
    std::uint64_t dropped() const noexcept { return dropped_; }
    trace_totals totals() const noexcept { return totals_; }
    void reset_totals() noexcept { totals_ = {}; }

private:
    static constexpr std::size_t most_intervals = std::size_t{1} << 20;

    void name_call(std::string_view operation, std::string_view argument) noexcept;
    void keep(activity kind, const char *what, nanoseconds begin, nanoseconds end) noexcept;

    const wait_clock &clock_;
    std::vector<interval> intervals_;
    std::vector<std::string> operations_{"unnamed"}; ///< the first: there was no memory for a name
    std::size_t operation_ = 0;                      ///< of the present call
    std::uint64_t number_ = 0;
    std::uint64_t dropped_ = 0;
    int open_calls_ = 0;
    int open_transfers_ = 0;
    nanoseconds transfers_since_ = 0;
    trace_totals totals_;
};

/// Records an activity for the lifetime of this object. Activities do not nest.
class timed {
public:
    timed(trace_recorder *recorder, activity kind, const char *what) noexcept
        : recorder_(recorder), what_(what), kind_(kind) {
        if (recorder_ != nullptr)
            begin_ = trace_recorder::now();
    }
    ~timed() {
        if (recorder_ != nullptr)
            recorder_->add(kind_, what_, begin_, trace_recorder::now());
    }
    timed(const timed &) = delete;
    timed &operator=(const timed &) = delete;

private:
    trace_recorder *recorder_;
    const char *what_;
    trace_recorder::nanoseconds begin_ = 0;
    activity kind_;
};

/// Records messages under way, from begin() to end(). Repeated calls of either have no effect.
class timed_transfer {
public:
    explicit timed_transfer(const char *what) noexcept : what_(what) {}

    void begin(trace_recorder *recorder) noexcept {
        if (recorder == nullptr || begin_ != 0)
            return;
        begin_ = trace_recorder::now();
        recorder->begin_transfer();
    }
    void end(trace_recorder *recorder) noexcept {
        if (recorder == nullptr || begin_ == 0)
            return;
        recorder->end_transfer(what_, begin_);
        begin_ = 0;
    }

private:
    const char *what_;
    trace_recorder::nanoseconds begin_ = 0;
};

/// Tells moving bytes from waiting in a loop of polls.
class timed_wait {
public:
    timed_wait(trace_recorder *recorder, const char *what) noexcept;
    ~timed_wait();
    timed_wait(const timed_wait &) = delete;
    timed_wait &operator=(const timed_wait &) = delete;

    /// Calls `is_through`, which polls once, and times it.
    template <class Poll> bool poll(const Poll &is_through) {
        if (recorder_ == nullptr)
            return is_through();
        const nanoseconds begin = recorder_->clock().now();
        const bool through = is_through();
        include(begin, recorder_->clock().now());
        return through;
    }

private:
    void include(nanoseconds begin, nanoseconds end) noexcept;

    trace_recorder *recorder_;
    const char *what_;
    bool is_moving_ = false;
    nanoseconds since_ = 0; ///< begin of the present state
    nanoseconds last_moved_ = 0;
    nanoseconds processor_ = 0; ///< processor time after the last poll
    long switches_ = 0;         ///< switches() after the last poll
};

} // namespace tenfold::dist_impl
