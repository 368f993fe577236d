#include "base/work.hpp"

#include <algorithm>

namespace tenfold::base {

constinit thread_local work_part *work_part::current_ = nullptr;

void work_watch::tell(double done) noexcept {
    if (!control_.progress || was_stopped() || std::this_thread::get_id() != caller_)
        return;
    // The ends of nested parts that others have completed add nothing but rounding.
    constexpr double something = 1e-12;
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < control_.interval || done < last_told_ + something)
        return;
    last_told_ = done;
    call(done);
    told_ = std::chrono::steady_clock::now(); // the callback's own time does not count
}

void work_watch::tell_the_end() noexcept {
    if (control_.progress && !was_stopped())
        call(1);
}

void work_watch::call(double done) noexcept {
    const work_part::joined nothing(nullptr); // calls by progress() are not part of this work
    try {
        control_.progress(done);
    } catch (...) {
        thrown_ = std::current_exception();
        stop();
    }
}

void work_part::add(double share) noexcept {
    const double done = done_.fetch_add(share, std::memory_order_relaxed) + share;
    if (outer_ != nullptr)
        outer_->add(share * share_);
    else
        watch_->tell(std::min(done, 1.0));
}

void work_part::end() noexcept {
    current_ = before_;
    const double left = 1 - done_.load(std::memory_order_relaxed);
    if (outer_ != nullptr && left > 0 && !watch_->was_stopped())
        outer_->add(left * share_);
}

status watched_call::outcome(status result) noexcept {
    if (!state_)
        return result;
    if (result.ok())
        state_->watch.tell_the_end();
    const bool stopped = state_->watch.was_stopped();
    return result.ok() && stopped ? status(errc::stopped) : result;
}

void watched_call::finish(status result) {
    const status of_all = outcome(result);
    if (state_ && state_->watch.thrown() != nullptr)
        std::rethrow_exception(state_->watch.thrown());
    of_all.throw_if_failed();
}

} // namespace tenfold::base
