// Tests that Ctrl-C ends work where it can, whenever it comes.
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/common/progress.hpp"

namespace tenfold::apps_impl {
namespace {

/// In a process of its own, asks whether a signal came until one did. Returns how the process
/// ended: 0, or what waitpid() says of a signal.
int end_after_an_interruption() {
    const pid_t child = fork();
    if (child == 0) {
        {
            progress line("test");
            std::thread sender([] { static_cast<void>(kill(getpid(), SIGINT)); });
            while (!line.interrupted()) {
            }
            sender.join();
        }
        std::_Exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

// A signal once came between two looks at it: the loop ended as it should, and then the process
// did.
TEST(Progress, OneSignalEndsTheWorkAndNotTheProcess) {
    for (int run = 0; run < 500; ++run)
        ASSERT_EQ(end_after_an_interruption(), 0) << "in run " << run;
}

} // namespace
} // namespace tenfold::apps_impl
