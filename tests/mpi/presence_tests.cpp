// Ranks that watch over each other, without MPI: trees of up to 64 ranks in one process.
#include "distributed/presence/presence.hpp"

#include <csignal>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "distributed/presence/watcher.hpp"

namespace tenfold::dist_impl {
namespace {

using namespace std::chrono_literals;

/// Returns true as soon as `holds` does, or false after ten seconds.
template <class Condition> bool soon(const Condition &holds) {
    const auto deadline = presence_clock::now() + 10s;
    while (!holds())
        if (presence_clock::now() > deadline)
            return false;
        else
            std::this_thread::sleep_for(1ms);
    return true;
}

std::size_t entries(const char *folder) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto &one : std::filesystem::directory_iterator(folder))
        ++count;
    return count;
}

struct resources {
    std::size_t descriptors = entries("/proc/self/fd");
    std::size_t threads = entries("/proc/self/task");
    bool are_within(const resources &other) const {
        return descriptors <= other.descriptors && threads <= other.threads;
    }
};

/// The presences of all ranks of one world.
class members {
public:
    explicit members(int size) {
        std::vector<meeting> meetings;
        std::vector<presence_card> cards;
        for (int rank = 0; rank < size; ++rank) {
            all_.push_back(std::make_shared<presence>(rank, size));
            meetings.emplace_back(rank, size);
            cards.push_back(meetings.back().open(/*local=*/true));
        }
        world_secret secret{};
        EXPECT_TRUE(draw_secret(secret));
        std::vector<std::future<bool>> connected;
        for (int rank = 0; rank < size; ++rank)
            connected.push_back(std::async(std::launch::async, [&, rank] {
                presence &one = at(rank);
                return meetings[static_cast<std::size_t>(rank)].connect(
                    secret,
                    cards[static_cast<std::size_t>(rank > 0 ? presence_parent_of(rank) : 0)],
                    one.parent(), one.children());
            }));
        for (auto &one : connected)
            EXPECT_TRUE(one.get());
        for (const auto &one : all_) {
            watcher::worlds list{one};
            EXPECT_TRUE(watcher::instance().add(std::move(list)));
        }
    }
    ~members() {
        for (const auto &one : all_)
            one->leave(departure_kind::freed);
    }
    members(const members &) = delete;
    members &operator=(const members &) = delete;

    presence &at(int rank) { return *all_[static_cast<std::size_t>(rank)]; }
    int size() const { return static_cast<int>(all_.size()); }

    void finish_call(int rank, const char *operation, std::uint64_t number) {
        at(rank).begin_call(operation, number);
        at(rank).stand_at(stand::outside);
    }

private:
    std::vector<std::shared_ptr<presence>> all_;
};

std::string answer_for(presence &one) {
    const std::uint64_t question = one.ask();
    EXPECT_TRUE(soon([&] { return one.has_answer(question); }));
    return one.last_answer();
}

TEST(Presence, TellsEveryRankWhereAllStand) {
    members world(64);
    for (int rank = 0; rank < world.size(); ++rank)
        world.at(rank).begin_call("norm", 7);
    world.finish_call(20, "fill", 6);
    for (const int rank : {0, 3, 40})
        world.at(rank).stand_at(stand::waiting);
    const std::string expected[] = {
        "rank 20 is outside the library after fill, collective call 6",
        "ranks 0, 3 and 40 wait in norm, collective call 7",
        "ranks 1-2, 4-19, 21-39 and 41-63 are in norm, collective call 7"};
    for (const int asking : {0, 3, 40, 63}) {
        const std::string found = answer_for(world.at(asking));
        for (const std::string &part : expected)
            EXPECT_NE(found.find(part), std::string::npos) << found;
    }
}

TEST(Presence, AnswersAllThatAskAtOnce) {
    members world(40);
    for (int rank = 0; rank < world.size(); ++rank)
        world.at(rank).begin_call("dot", 2);
    std::vector<std::uint64_t> questions;
    for (int rank = 0; rank < world.size(); ++rank)
        questions.push_back(world.at(rank).ask());
    for (int rank = 0; rank < world.size(); ++rank) {
        EXPECT_TRUE(soon(
            [&] { return world.at(rank).has_answer(questions[static_cast<std::size_t>(rank)]); }));
        EXPECT_EQ(world.at(rank).last_answer(), "ranks 0-39 are in dot, collective call 2");
    }
}

TEST(Presence, TellsAllThatARankHasLeft) {
    members world(40);
    for (int rank = 0; rank < world.size(); ++rank)
        world.finish_call(rank, "norm", 5);
    world.at(17).leave(departure_kind::finalised);
    for (int rank = 0; rank < world.size(); ++rank) {
        if (rank == 17)
            continue;
        presence &one = world.at(rank);
        EXPECT_TRUE(soon([&] { return one.misses_somebody(6); })) << rank;
        EXPECT_FALSE(one.misses_somebody(5)) << "it has sent everything";
        EXPECT_EQ(one.who_is_missing(6).rank, 17);
        EXPECT_EQ(one.who_is_missing(6).text(), "it reached MPI_Finalize after collective call 5");
    }
}

TEST(Presence, CountsNoCallThatARankLeftBeforeItsEnd) {
    members world(2);
    world.at(0).begin_call("fill", 9);
    world.at(1).begin_call("fill", 9);
    world.at(1).leave(departure_kind::freed);
    EXPECT_TRUE(soon([&] { return world.at(0).misses_somebody(9); }));
    EXPECT_FALSE(world.at(0).misses_somebody(8));
}

TEST(Presence, FindsThatAProcessHasEnded) {
    for (const int victim : {0, 1, 20}) { // the root, one with children, a leaf
        members world(40);
        world.at(victim).give_up();
        for (int rank = 0; rank < world.size(); ++rank) {
            if (rank == victim)
                continue;
            presence &one = world.at(rank);
            EXPECT_TRUE(soon([&] { return one.misses_somebody(1); })) << rank;
            EXPECT_EQ(one.who_is_missing(1).rank, victim);
            EXPECT_EQ(one.who_is_missing(1).kind, departure_kind::ended);
        }
    }
}

TEST(Presence, AnswersAtOnceWhereNobodyElseIsLeft) {
    members world(2);
    world.at(0).begin_call("norm", 4);
    world.at(1).give_up();
    EXPECT_TRUE(soon([&] { return world.at(0).misses_somebody(1); }));
    EXPECT_NE(answer_for(world.at(0)).find("rank 0 is in norm, collective call 4"),
              std::string::npos);
}

TEST(Presence, StillConnectsOthersAfterItsRankHasLeft) {
    members world(40);
    for (int rank = 0; rank < world.size(); ++rank)
        world.finish_call(rank, "norm", 3);
    world.at(0).leave(departure_kind::freed); // the root
    world.at(1).leave(departure_kind::freed); // the parent of ranks 17 to 32
    world.at(33).begin_call("dot", 4);
    EXPECT_NE(answer_for(world.at(17)).find("rank 33 is in dot, collective call 4"),
              std::string::npos);
    world.at(33).give_up();
    EXPECT_TRUE(soon([&] { return world.at(17).who_is_missing(3).rank == 33; }));
}

TEST(Presence, KeepsNothingOfWorldsThatAreGone) {
    const resources before;
    for (int i = 0; i < 5; ++i)
        members world(20);
    EXPECT_TRUE(soon([&] { return resources().are_within(before); }));
}

TEST(Presence, IsNotKeptAliveByAChildProcess) {
    members world(3);
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    world.at(2).give_up();
    EXPECT_TRUE(soon([&] { return world.at(0).misses_somebody(1); }));
    EXPECT_FALSE(world.at(0).is_abandoned());
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

TEST(Presence, TurnsStrangersAway) {
    meeting root(0, 2);
    const presence_card card = root.open(/*local=*/true);
    world_secret secret{};
    ASSERT_TRUE(draw_secret(secret));
    world_secret wrong = secret;
    wrong[3] ^= std::byte{1};
    socket_handle nobody;
    std::vector<socket_handle> children(1);
    auto met = std::async(std::launch::async,
                          [&] { return root.connect(secret, card, nobody, children); });
    const auto deadline = presence_clock::now() + 5s;
    const socket_handle silent = connect_to(loopback_address, card.port, deadline);
    EXPECT_TRUE(silent.is_open());
    socket_handle parent;
    EXPECT_FALSE(meeting(1, 2).connect(wrong, card, parent, {}));
    EXPECT_TRUE(meeting(1, 2).connect(secret, card, parent, {}));
    EXPECT_TRUE(met.get());
}

TEST(Standings, AreReadAsTheyWereWritten) {
    standings all;
    all.add({stand::waiting, 8, "contract (plan)", {{5, 5}}});
    all.add({stand::outside, 7, "norm", {{2, 3}}});
    all.add({stand::waiting, 8, "contract (plan)", {{4, 4}, {6, 9}}});
    std::vector<std::byte> bytes;
    all.write(bytes);
    standings read;
    ASSERT_TRUE(read.read(bytes));
    EXPECT_EQ(read.text(12), "ranks 4-9 wait in contract (plan), collective call 8; ranks 2-3 are "
                             "outside the library after norm, collective call 7; ranks 0-1 and "
                             "10-11 did not answer");
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(standings().read(std::span(bytes).first(size)));
}

} // namespace
} // namespace tenfold::dist_impl
