// One line on a terminal that tells how far a long piece of work has come; nothing when stderr is
// a file or a pipe, and nothing in the first second. Ctrl-C ends the work.
#pragma once

#include <string>
#include <string_view>

#include <tenfold/control.hpp>

#include "apps/common/interruption.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::apps_impl {

class progress {
public:
    explicit progress(std::string title);
    ~progress() { clear(); }
    progress(const progress &) = delete;
    progress &operator=(const progress &) = delete;

    /// `step` of `steps` (counted from 0) is about to begin.
    void show(int step, int steps, std::string_view what = {});
    /// For the next call of the library: the line tells the share that is done and the time that is
    /// left, by `predicted` seconds while little is done (0: nobody knows), and Ctrl-C stops the
    /// call. Serves until watch() is called again.
    const execution_control *watch(double predicted = 0);
    /// Whether a signal asked to end. Who asks ends its work then.
    bool interrupted() noexcept;
    /// Takes the line away, so that a result can be printed in its place.
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
