// A deadlock of two threads, for the test of the watchdog.
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

namespace {

std::mutex held;

[[gnu::noinline]] void waits_for_the_lock() {
    held.lock();
    held.unlock();
}

TEST(StandingStill, ThreadsThatWaitForEachOther) {
    held.lock();
    std::thread other(waits_for_the_lock);
    other.join();
}

} // namespace
