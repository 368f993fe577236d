// Progress of a call, and its cancellation.
//
// The innermost loops (blocks of a matrix product, units of a transposition, tiles) know how much
// is done, and the outermost function knows the caller's control. The layers between need neither:
// a thread-local variable holds the part of the work at which a thread is, and run_parallel()
// passes it to the team. It is null if the call is not watched.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <optional>
#include <thread>
#include <type_traits>

#include <tenfold/control.hpp>
#include <tenfold/error.hpp>
#include <tenfold/types.hpp>

namespace tenfold::base {

/// The control of one call. Any of its threads may use it.
class work_watch {
public:
    explicit work_watch(const execution_control &control) noexcept
        : control_(control), caller_(std::this_thread::get_id()) {}

    /// Whether a stop was requested. A caller that sees true must leave out the remaining work.
    bool stops() noexcept {
        if (stopped_.load(std::memory_order_relaxed))
            return true;
        if (!control_.stop.stop_requested())
            return false;
        stop();
        return true;
    }
    void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
    /// Whether a stop was seen, so that work was left out.
    bool was_stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }

    /// Calls progress() if this is the caller's thread and the interval has passed.
    void tell(double done) noexcept;
    void tell_the_end() noexcept;
    /// The exception of progress(); null: none.
    const std::exception_ptr &thrown() const noexcept { return thrown_; }

private:
    void call(double done) noexcept;

    const execution_control &control_;
    std::thread::id caller_;
    std::atomic<bool> stopped_{false};
    std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
    double last_told_ = 0; ///< the share
    std::exception_ptr thrown_;
};

/// A part of a watched call's work, for the lifetime of the object. Parts nest: the work of the
/// calling thread, alone or with a team, belongs to its innermost part.
class work_part {
public:
    /// `share` is relative to the part at which the calling thread is. No effect if the call is not
    /// watched.
    explicit work_part(double share) noexcept : before_(current_), outer_(current_), share_(share) {
        if (outer_ != nullptr)
            begin(outer_->watch_);
    }
    /// Counts the rest of the part as done.
    ~work_part() {
        if (watch_ != nullptr)
            end();
    }
    work_part(const work_part &) = delete;
    work_part &operator=(const work_part &) = delete;

    static bool is_watched() noexcept { return current_ != nullptr; }
    /// Into how many parts the current part's work is worth dividing; may be below 1. A call has
    /// `most_parts` at most in all, however its loops nest.
    static double worthwhile_parts() noexcept { return current_ != nullptr ? current_->parts_ : 0; }
    /// Whether to leave out the rest of a loop.
    static bool stops() noexcept { return current_ != nullptr && current_->watch_->stops(); }
    /// Adds `share` of the calling thread's current part to the work that is done.
    static void done(double share) noexcept {
        if (current_ != nullptr)
            current_->add(share);
    }

    /// Lets the calling thread work on a part that another thread began; null: on none.
    class joined {
    public:
        explicit joined(work_part *part) noexcept : before_(current_) { current_ = part; }
        ~joined() { current_ = before_; }
        joined(const joined &) = delete;
        joined &operator=(const joined &) = delete;

    private:
        work_part *before_;
    };
    /// Ends the call early because the caller on another rank requested a stop.
    static void stop() noexcept {
        if (current_ != nullptr)
            current_->watch_->stop();
    }
    /// The part on which the calling thread works.
    static work_part *current() noexcept { return current_; }

private:
    friend class watched_call;
    static constexpr double most_parts = 4096;
    static constexpr double shortest_part = 10e-6; ///< seconds; telling takes 50 ns

    /// The root part: all work of a call, which takes about so many seconds.
    work_part(work_watch &watch, double seconds) noexcept
        : before_(current_), parts_(std::min(most_parts, seconds / shortest_part)) {
        begin(&watch);
    }

    void begin(work_watch *watch) noexcept {
        watch_ = watch;
        if (outer_ != nullptr)
            parts_ = outer_->parts_ * share_;
        current_ = this;
    }
    void end() noexcept;
    void add(double share) noexcept;

    static constinit thread_local work_part *current_;

    work_part *before_;          ///< the thread's former part
    work_part *outer_ = nullptr; ///< the enclosing part; null for the root
    work_watch *watch_ = nullptr;
    double share_ = 1; ///< of outer_
    double parts_ = 0; ///< see worthwhile_parts()
    std::atomic<double> done_{0};
};

/// A call that its caller may watch. Lives in the function that receives the control; without a
/// control it does nothing.
class watched_call {
public:
    /// `seconds`: how long the call takes, about; a short one is not divided into many parts.
    explicit watched_call(const execution_control *control,
                          double seconds = std::numeric_limits<double>::infinity()) noexcept {
        if (control != nullptr)
            state_.emplace(*control, seconds);
    }

    /// Whether a stop was requested before the work began.
    bool stops() noexcept { return state_ && state_->watch.stops(); }
    /// Ends the watch. Returns errc::stopped if work was left out, else `result`.
    status outcome(status result = {}) noexcept;
    /// Ends the watch. Throws what progress() threw, or else an error unless the status is ok.
    void finish(status result = {});

private:
    struct state {
        state(const execution_control &control, double seconds) noexcept
            : watch(control), all(watch, seconds) {}
        work_watch watch;
        work_part all;
    };
    std::optional<state> state_;
};

/// Calls move(offset, size) for pieces of `size` bytes of a file. If the call is watched, reports
/// progress after each piece and throws errc::stopped after a stop.
template <class Move> void move_in_pieces(index_t size, Move &&move) {
    constexpr index_t most = index_t{8} << 20;
    for (index_t done = 0; done < size; done += most) {
        if (work_part::stops())
            throw error(errc::stopped, "the caller stopped the work");
        const index_t now = size - done < most ? size - done : most;
        move(done, now);
        work_part::done(static_cast<double>(now) / static_cast<double>(size));
    }
}

/// Runs `work`, which throws errc::stopped if it leaves work out. Passes on exceptions of `work`,
/// but those of progress() take precedence.
template <class Work> auto run_watched(const execution_control *control, Work &&work) {
    watched_call watched(control);
    try {
        if constexpr (std::is_void_v<decltype(work())>) {
            work();
            watched.finish();
        } else {
            auto result = work();
            watched.finish();
            return result;
        }
    } catch (const error &problem) {
        if (problem.code() == errc::stopped)
            watched.finish(status(errc::stopped));
        throw;
    }
}

} // namespace tenfold::base
