// Tests waiting for other threads to sleep before something is timed.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include "apps/bench/settle.hpp"

namespace tenfold::apps_impl {
namespace {

using namespace std::chrono_literals;

/// A time limit that is never reached, however long other programs keep the cores.
constexpr std::chrono::milliseconds at_last = 1h;

/// Spins until `until()` holds, then sleeps until it is destroyed.
template <class Condition> class spinning_thread {
public:
    explicit spinning_thread(Condition until)
        : thread_([this, until] {
              started_.count_down();
              while (!until()) {
              }
              spun_ = true;
              end_.wait();
          }) {
        started_.wait();
    }
    ~spinning_thread() {
        end_.count_down();
        thread_.join();
    }
    bool has_spun() const { return spun_; }

private:
    std::latch started_{1}, end_{1};
    std::atomic<bool> spun_{false};
    std::thread thread_;
};

TEST(Settle, WaitsForAThreadThatSpinsBeforeItSleeps) {
    if (!std::filesystem::exists("/proc/self/task"))
        GTEST_SKIP() << "this system does not tell which threads run";
    std::atomic<bool> enough = false;
    const spinning_thread one([&enough] { return enough.load(); });
    std::thread other([&enough] { // asleep meanwhile
        std::this_thread::sleep_for(20ms);
        enough = true;
    });
    EXPECT_TRUE(settle(at_last));
    EXPECT_TRUE(one.has_spun());
    other.join();
}

TEST(Settle, GivesUpOnAThreadThatNeverSleeps) {
    if (!std::filesystem::exists("/proc/self/task"))
        GTEST_SKIP() << "this system does not tell which threads run";
    std::atomic<bool> enough = false;
    const spinning_thread one([&enough] { return enough.load(); });
    EXPECT_FALSE(settle(5ms));
    enough = true;
    EXPECT_TRUE(settle(at_last));
}

TEST(Settle, HasNothingToWaitForAlone) { EXPECT_TRUE(settle(at_last)); }

} // namespace
} // namespace tenfold::apps_impl
