// How far the work of a call has come, and whether its caller still wants it.
//
// The innermost loops know how far: those over blocks of a matrix product, units of a
// transposition, tiles. The outermost function knows who asked. The layers between need to know
// neither, so the part of the work that a thread is at stands in a variable of that thread, and
// run_parallel() hands it to its team. It is null where nobody watches.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>
#include <type_traits>

#include <tenfold/control.hpp>
#include <tenfold/error.hpp>
#include <tenfold/types.hpp>

namespace tenfold::base {

/// What one call's caller hears and says. Any thread of the call may use it.
class work_watch {
public:
    explicit work_watch(const execution_control &control) noexcept
        : control_(control), caller_(std::this_thread::get_id()) {}

    /// True: the caller wants no more. Whoever asks leaves work out then.
    bool stops() noexcept {
        if (stopped_.load(std::memory_order_relaxed))
            return true;
        if (!control_.stop.stop_requested())
            return false;
        stop();
        return true;
    }
    void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
    /// Whether work was left out.
    bool was_stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }

    /// Calls progress() if this is the caller's thread and it is time.
    void tell(double done) noexcept;
    void tell_the_end() noexcept;
    /// What progress() threw; null: nothing.
    const std::exception_ptr &thrown() const noexcept { return thrown_; }

private:
    void call(double done) noexcept;

    const execution_control &control_;
    std::thread::id caller_;
    std::atomic<bool> stopped_{false};
    std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
    std::exception_ptr thrown_;
};

/// A part of a watched call's work, for as long as the object lives. Parts nest: whatever the
/// calling thread does meanwhile, alone or with a team, belongs to the innermost one.
class work_part {
public:
    /// `share` of the part that the calling thread is at; nothing where nobody watches.
    explicit work_part(double share) noexcept : before_(current_), outer_(current_), share_(share) {
        if (outer_ != nullptr)
            begin(outer_->watch_);
    }
    /// What was not told piece by piece is done now.
    ~work_part() {
        if (watch_ != nullptr)
            end();
    }
    work_part(const work_part &) = delete;
    work_part &operator=(const work_part &) = delete;

    static bool is_watched() noexcept { return current_ != nullptr; }
    /// Whether the rest of a loop is to be left out.
    static bool stops() noexcept { return current_ != nullptr && current_->watch_->stops(); }
    /// `share` of the part that the calling thread is at is done.
    static void done(double share) noexcept {
        if (current_ != nullptr)
            current_->add(share);
    }

    /// Lets the calling thread work at a part that another thread began; null: at none.
    class joined {
    public:
        explicit joined(work_part *part) noexcept : before_(current_) { current_ = part; }
        ~joined() { current_ = before_; }
        joined(const joined &) = delete;
        joined &operator=(const joined &) = delete;

    private:
        work_part *before_;
    };
    /// The call ends early because another rank's caller said so.
    static void stop() noexcept {
        if (current_ != nullptr)
            current_->watch_->stop();
    }
    /// What the calling thread is at.
    static work_part *current() noexcept { return current_; }

private:
    friend class watched_call;
    /// All of a call's work.
    explicit work_part(work_watch &watch) noexcept : before_(current_) { begin(&watch); }

    void begin(work_watch *watch) noexcept {
        watch_ = watch;
        current_ = this;
    }
    void end() noexcept;
    void add(double share) noexcept;

    static constinit thread_local work_part *current_;

    work_part *before_;          ///< what the thread goes back to
    work_part *outer_ = nullptr; ///< what this is a part of; null: all of the call's work
    work_watch *watch_ = nullptr;
    double share_ = 1; ///< of outer_
    std::atomic<double> done_{0};
};

/// A call that its caller may watch: stands in the function to which the control was given. Without
/// a control it changes nothing.
class watched_call {
public:
    explicit watched_call(const execution_control *control) noexcept {
        if (control != nullptr)
            state_.emplace(*control);
    }

    /// The caller said before the work began that it wants none.
    bool stops() noexcept { return state_ && state_->watch.stops(); }
    /// Ends the watch. errc::stopped where work was left out, else `result`.
    status outcome(status result = {}) noexcept;
    /// The same; throws unless it is ok, what progress() threw first.
    void finish(status result = {});

private:
    struct state {
        explicit state(const execution_control &control) noexcept : watch(control), all(watch) {}
        work_watch watch;
        work_part all;
    };
    std::optional<state> state_;
};

/// Calls move(offset, size) for pieces of `size` bytes, as files are read: tells after each where
/// somebody watches, and throws errc::stopped after a stop.
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

/// Runs `work`, which throws errc::stopped where it leaves something out; throws what it does, but
/// what progress() threw goes first.
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
