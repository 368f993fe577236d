// Tests that errors of a team's members do not end the process.
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include <tenfold/error.hpp>

#include "apps/ccsd/triples_team.hpp"

namespace tenfold::ccsd {
namespace {

constexpr std::size_t count = 200;

TEST(TriplesTeam, DoesEachPieceOfWorkOnce) {
    for (const int threads : {1, 2, 4}) {
        std::vector<int> done(count, 0);
        share_among_threads(threads, count, [&](std::size_t i, int member) {
            EXPECT_GE(member, 0);
            EXPECT_LT(member, threads);
            ++done[i];
        });
        EXPECT_EQ(done, std::vector<int>(count, 1)) << threads;
    }
}

TEST(TriplesTeam, ThrowsWhatAMemberThrew) {
    for (const int threads : {1, 2, 4})
        for (const std::size_t bad : {std::size_t{0}, count / 2, count - 1}) {
            std::atomic<std::size_t> begun{0};
            try {
                share_among_threads(threads, count, [&](std::size_t i, int) {
                    ++begun;
                    if (i >= bad) // on several threads, perhaps
                        throw error(errc::out_of_memory, "no memory for a triple");
                });
                FAIL() << "nothing was thrown";
            } catch (const error &problem) {
                EXPECT_EQ(problem.code(), errc::out_of_memory);
                EXPECT_STREQ(problem.what(), "no memory for a triple");
            }
            EXPECT_LE(begun, bad + static_cast<std::size_t>(threads));
        }
}

} // namespace
} // namespace tenfold::ccsd
