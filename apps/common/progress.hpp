// A line on the terminal that shows the progress of long work. It is not shown in the first second,
// nor if stderr is a file or a pipe. Ctrl-C ends the work.
#pragma once

#include <csignal>
#include <string>
#include <string_view>

#include <tenfold/control.hpp>

#include "apps/common/timing.hpp"

namespace tenfold::apps_impl {

/// Handles Ctrl-C: the work ends at a point where it can, instead of ending the process at once.
/// While an object lives, the first SIGINT or SIGTERM is recorded, and the second one ends the
/// process as usual. Only one object may exist at a time.
class interruption {
public:
    interruption() noexcept;
    /// Restores the previous handlers. If a signal was recorded but heed() was not called, sends it
    /// again.
    ~interruption();
    interruption(const interruption &) = delete;
    interruption &operator=(const interruption &) = delete;

    bool requested() const noexcept;
    /// Call this after work has ended because of the signal.
    void heed() noexcept { heeded_ = true; }

private:
    struct sigaction before_int_ {};
    struct sigaction before_term_ {};
    bool heeded_ = false;
};

class progress {
public:
    explicit progress(std::string title);
    ~progress() { clear(); }
    progress(const progress &) = delete;
    progress &operator=(const progress &) = delete;

    /// Shows that `step` of `steps` (counted from 0) is about to begin.
    void show(int step, int steps, std::string_view what = {});
    /// Watches the next call of the library: the line shows the share that is done and the time
    /// that is left, and Ctrl-C stops the call. While little is done, the time comes from
    /// `predicted` seconds (0: unknown). The result is valid until watch() is called again.
    const execution_control *watch(double predicted = 0);
    /// Returns whether a signal asked to end; the caller then ends its work.
    bool interrupted() noexcept;
    /// Clears the line, so that a result can be printed in its place.
    void clear();

private:
    void told(double done);
    void print(const std::string &text);

    std::string title_;
    stopwatch since_start_;
    bool terminal_;
    bool visible_ = false;

    std::string step_; ///< " 2/5 tccg01"
    stopwatch since_watch_;
    double predicted_ = 0;
    interruption signals_;
    std::stop_source stop_;
    execution_control control_;
};

} // namespace tenfold::apps_impl
