#include "apps/common/progress.hpp"

#include <cmath>
#include <cstdio>

#include <unistd.h>

#include "apps/common/launcher.hpp"
#include "apps/common/text.hpp"

namespace tenfold::apps_impl {
namespace {

/// Below this share of the work, the plan predicts the remaining time better than the elapsed time
/// does.
constexpr double little = 0.05;

volatile std::sig_atomic_t signal_that_came = 0;

void remember(int number) { signal_that_came = number; }

std::string time_left(double seconds) {
    if (!(seconds > 0))
        return "";
    const double whole = std::ceil(seconds);
    return whole < 120 ? format(", %.0f s left", whole)
                       : format(", %.0f min left", std::ceil(seconds / 60));
}

} // namespace

interruption::interruption() noexcept {
    signal_that_came = 0;
    struct sigaction action {};
    action.sa_handler = remember;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_int_);
    sigaction(SIGTERM, &action, &before_term_);
}

interruption::~interruption() {
    sigaction(SIGINT, &before_int_, nullptr);
    sigaction(SIGTERM, &before_term_, nullptr);
    if (requested() && !heeded_)
        static_cast<void>(std::raise(signal_that_came));
}

bool interruption::requested() const noexcept { return signal_that_came != 0; }

progress::progress(std::string title)
    : title_(std::move(title)), terminal_(isatty(STDERR_FILENO) == 1 && launched_rank() == 0),
      control_{.progress = [this](double done) { told(done); }, .stop = stop_.get_token()} {}

void progress::show(int step, int steps, std::string_view what) {
    step_ = " " + std::to_string(step + 1) + "/" + std::to_string(steps);
    if (!what.empty())
        step_.append(" ").append(what);
    const double each = step > 0 ? since_start_.seconds() / step : 0;
    print(title_ + step_ + time_left(each * (steps - step)));
}

const execution_control *progress::watch(double predicted) {
    predicted_ = predicted;
    since_watch_ = stopwatch();
    return &control_;
}

bool progress::interrupted() noexcept {
    // Asked once: of a signal between two questions, the second alone would know, and `signals_`
    // would end the process although the caller ends its work.
    const bool asked = signals_.requested();
    if (asked)
        signals_.heed();
    return asked;
}

void progress::told(double done) {
    if (interrupted())
        stop_.request_stop();
    const double passed = since_watch_.seconds();
    const double all = done > little ? passed / done : predicted_;
    print(title_ + step_ + format(": %.0f %%", 100 * done) + time_left(all - passed));
}

void progress::print(const std::string &text) {
    if (!terminal_ || since_start_.seconds() < 1)
        return;
    std::fprintf(stderr, "\r%s\033[K", text.c_str()); // \033[K clears the rest of a longer line
    std::fflush(stderr);
    visible_ = true;
}

void progress::clear() {
    if (!visible_)
        return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    visible_ = false;
}

} // namespace tenfold::apps_impl
