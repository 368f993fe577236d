#include "distributed/presence/watcher.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <new>
#include <utility>

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace tenfold::dist_impl {
namespace {

watcher *the_watcher = nullptr;

/// For a thread that calls some functions deep, with a buffer of 4 KiB. libc adds what it needs.
constexpr std::size_t stack_size = std::size_t{256} << 10;

bool poll_for(int poll_descriptor, int descriptor) noexcept {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    return epoll_ctl(poll_descriptor, EPOLL_CTL_ADD, descriptor, &wanted) == 0;
}

} // namespace

watcher &watcher::instance() {
    static watcher *const made = new watcher;
    return *made;
}

watcher::watcher() {
    the_watcher = this;
    // A child of fork() has no such thread, and must not keep connections open: their end tells
    // that this process has ended. A program that is started in the child closes them by itself.
    pthread_atfork([] { the_watcher->mutex_.lock(); }, [] { the_watcher->mutex_.unlock(); },
                   [] { the_watcher->forget_in_child(); });
}

bool watcher::add(worlds &&one) noexcept {
    const std::lock_guard lock(mutex_);
    if (!runs_ && !start())
        return false;
    if (!one.front()->watch_by(poll_descriptor_)) {
        one.front()->abandon();
        wake();
        return false;
    }
    all_.splice(all_.end(), one);
    wake();
    return true;
}

void watcher::leave_all(departure_kind kind) noexcept {
    const std::lock_guard lock(mutex_);
    for (const auto &one : all_)
        one->leave_now(kind);
    wake();
}

void watcher::wake() noexcept {
    if (!runs_)
        return;
    eventfd_write(wake_descriptor_, 1);
}

bool watcher::start() noexcept {
    poll_descriptor_ = epoll_create1(EPOLL_CLOEXEC);
    wake_descriptor_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_attr_t attributes;
    if (poll_descriptor_ >= 0 && wake_descriptor_ >= 0 &&
        poll_for(poll_descriptor_, wake_descriptor_) && pthread_attr_init(&attributes) == 0) {
        // Signals are the program's: its own threads shall run their handlers.
        sigset_t every;
        sigset_t former;
        sigfillset(&every);
        pthread_sigmask(SIG_SETMASK, &every, &former);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attributes, stack_size);
        pthread_t thread;
        runs_ = pthread_create(
                    &thread, &attributes,
                    [](void *self) -> void * {
                        static_cast<watcher *>(self)->run();
                        return nullptr;
                    },
                    this) == 0;
        pthread_sigmask(SIG_SETMASK, &former, nullptr);
        pthread_attr_destroy(&attributes);
    }
    if (!runs_)
        stop();
    return runs_;
}

void watcher::stop() noexcept {
    for (int *const descriptor : {&poll_descriptor_, &wake_descriptor_})
        if (*descriptor >= 0)
            ::close(std::exchange(*descriptor, -1));
    runs_ = false;
}

void watcher::run() noexcept {
    pthread_setname_np(pthread_self(), "tenfold-watch");
    std::unique_lock lock(mutex_);
    for (;;) {
        auto next = presence_clock::time_point::max();
        bool lacks_memory = false;
        for (const auto &one : all_) {
            try {
                one->serve();
            } catch (const std::bad_alloc &) { // nothing is lost: it is tried again
                lacks_memory = true;
            }
            next = std::min(next, one->deadline());
        }
        all_.remove_if([](const auto &one) { return one->is_over(); });
        if (all_.empty()) {
            stop();
            return;
        }
        const int patience =
            next == presence_clock::time_point::max() ? -1 : milliseconds_until(next);
        lock.unlock();
        if (lacks_memory)
            usleep(50000);
        std::array<epoll_event, 16> events; // which ones does not matter: there are few, seldom
        epoll_wait(poll_descriptor_, events.data(), static_cast<int>(events.size()), patience);
        lock.lock();
        eventfd_t wakes = 0;
        eventfd_read(wake_descriptor_, &wakes);
    }
}

void watcher::forget_in_child() noexcept {
    for (const auto &one : all_)
        one->abandon();
    all_.clear();
    stop();
    mutex_.unlock();
}

} // namespace tenfold::dist_impl
