// Tests that disturbed executions teach nothing. That others do cannot be promised: the machine may
// have other work.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "base/execution_watch.hpp"

namespace tenfold::base {
namespace {

TEST(ExecutionWatch, says_nothing_of_memory_that_is_touched_for_the_first_time) {
    constexpr std::size_t size = std::size_t{64} << 20; // 32 huge pages
    void *const fresh =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(fresh, MAP_FAILED);
    const execution_watch watch;
    for (std::size_t i = 0; i < size; i += 4096)
        static_cast<volatile char *>(fresh)[i] = 1;
    EXPECT_FALSE(watch.undisturbed_seconds(1));
    munmap(fresh, size);
}

TEST(ExecutionWatch, says_nothing_of_threads_without_a_core) {
    const execution_watch watch;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(watch.undisturbed_seconds(1));
}

} // namespace
} // namespace tenfold::base
