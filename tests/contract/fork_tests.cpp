// Tests children of fork(): OpenMP's threads exist only in the parent.
#include <algorithm>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

namespace tenfold {
namespace {

constexpr index_t n = 384; // enough work for two threads

/// True if the results of every back end of this build are right.
bool products_are_right(const context &ctx) {
    tensor<double> a({n, n}), b({n, n}), d({n, n});
    std::fill_n(a.data(), a.size(), 2.0);
    std::fill_n(b.data(), b.size(), 3.0);
    for (const backend one : {backend::native, backend::blis}) {
        try {
            std::fill_n(d.data(), d.size(), 0.0);
            contract("ab=ak*kb", a, b, d, {.backend = one, .threads = 2, .ctx = &ctx});
        } catch (const error &missing) {
            if (missing.code() != errc::unsupported)
                return false;
            continue;
        }
        for (index_t i = 0; i < d.size(); ++i)
            if (d.data()[i] != 6.0 * n)
                return false;
        transpose("ba=ab", d, a, {.threads = 2, .ctx = &ctx});
        if (a(n - 1, 0) != 6.0 * n)
            return false;
        std::fill_n(a.data(), a.size(), 2.0);
    }
    return true;
}

/// Returns the exit status of body() in a child, or 128 plus the signal that ended it, for instance
/// SIGALRM.
template <class Body> int status_of_child(const Body &body) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(body());
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Fork, ChildrenComputeAfterTheParentDid) {
    settings wanted;
    wanted.threads = 2;
    const context ctx(wanted);
    const auto compute = [&] { return products_are_right(ctx) ? 0 : 1; };
    EXPECT_EQ(status_of_child(compute), 0) << "before there is a team";
    ASSERT_TRUE(products_are_right(ctx));
    EXPECT_EQ(status_of_child(compute), 0);
    EXPECT_EQ(status_of_child([&] { return status_of_child(compute); }), 0) << "a grandchild";
    EXPECT_EQ(status_of_child([&] {
                  int result = 1;
                  std::thread([&] { result = compute(); }).join();
                  return result;
              }),
              0)
        << "another thread of the child";
    EXPECT_TRUE(products_are_right(ctx)); // the parent still uses its team
}

} // namespace
} // namespace tenfold
