// Tests lists of tasks: each task is done once, no rank waits for a slow one, what fails or stops
// on one rank ends the call on all. And what ranks gather of their results.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <tenfold/dist_gather.hpp>
#include <tenfold/dist_operations.hpp>
#include <tenfold/dist_tasks.hpp>
#include <tenfold/dist_trace.hpp>

#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

using tasks_of_piece = std::span<const index_t>;

std::vector<int> zeros(index_t count) { return std::vector<int>(static_cast<std::size_t>(count)); }

/// True on all ranks if each task was done once.
bool once_each(std::vector<int> done) {
    all_reduce(ranks(), std::span(done), reduction::sum);
    return done == std::vector<int>(done.size(), 1);
}

void note(std::vector<int> &done, index_t task) { ++done[static_cast<std::size_t>(task)]; }

TEST(DistTasks, EachIsDoneOnce) {
    for (const index_t count : {0, 1, 2, 3, 7, 40, 1000})
        for (const index_t grain : {1, 3}) {
            SCOPED_TRACE(std::to_string(count) + " tasks by " + std::to_string(grain));
            std::vector<int> done = zeros(count);
            index_t before = -1;
            for_each_piece(ranks(), count,
                           [&](tasks_of_piece tasks, task_service &) {
                               EXPECT_EQ(tasks.front() % grain, 0);
                               EXPECT_TRUE(std::ssize(tasks) % grain == 0 ||
                                           tasks.back() == count - 1);
                               for (const index_t task : tasks) {
                                   EXPECT_GT(task, before);
                                   before = task;
                                   note(done, task);
                               }
                           },
                           {.grain = grain});
            EXPECT_TRUE(once_each(done));
        }
}

TEST(DistTasks, CostsDecideTheOrder) {
    for (const int test_case : cases_per_rank(40)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const index_t count = random.integer(0, 60);
        std::vector<double> costs;
        for (index_t i = 0; i < count; ++i)
            costs.push_back(random.chance(0.2) ? 0 : static_cast<double>(random.integer(1, 1000)));
        random_source own(1000 * (ranks().rank() + 1) + test_case);
        std::vector<int> done = zeros(count);
        double last = std::numeric_limits<double>::infinity();
        for_each_piece(ranks(), count,
                       [&](tasks_of_piece tasks, task_service &others) {
                           for (const index_t task : tasks) {
                               const double cost = costs[static_cast<std::size_t>(task)];
                               EXPECT_LE(cost, last);
                               last = cost;
                               note(done, task);
                               if (own.chance(0.7)) {
                                   EXPECT_TRUE(others.serve());
                               }
                               if (own.chance(0.1))
                                   std::this_thread::sleep_for(
                                       std::chrono::microseconds(own.integer(1, 300)));
                           }
                       },
                       {.costs = costs, .grain = random.integer(1, 3)});
        EXPECT_TRUE(once_each(done));
    }
}

/// The last rank ends its first piece when the others have done nearly all, which they must manage
/// without it: it has that piece and the one it asked for at once, each at most a quarter of an
/// equal share.
TEST(DistTasks, OthersDoWhatASlowRankLeaves) {
    constexpr index_t count = 1600;
    const int size = ranks().size();
    const int slow = size - 1;
    if (size == 1)
        GTEST_SKIP() << "nobody else";
    index_t mine = 0;
    for_each_task(ranks(), count, [&](index_t) {
        constexpr int done = 5; // a tag of the tests' own communicator
        if (ranks().rank() != slow) {
            MPI_Send(nullptr, 0, MPI_INT, slow, done, MPI_COMM_WORLD);
        } else if (mine == 0) {
            for (index_t left = count - count / (2 * size); left > 0; --left)
                MPI_Recv(nullptr, 0, MPI_INT, MPI_ANY_SOURCE, done, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        }
        ++mine;
    });
    if (ranks().rank() == slow) {
        EXPECT_GT(mine, 0);
        EXPECT_LE(mine, count / (2 * size));
        for (index_t left = count / (2 * size) - mine; left > 0; --left)
            MPI_Recv(nullptr, 0, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    EXPECT_EQ(all_reduce(ranks(), mine, reduction::sum), count);
}

TEST(DistTasks, WhatThrowsOnOneRankThrowsOnAll) {
    constexpr index_t count = 400;
    for (int failing = 0; failing < ranks().size(); ++failing)
        for (const int tasks_before : {0, 1, 3}) {
            SCOPED_TRACE("rank " + std::to_string(failing) + " after " +
                         std::to_string(tasks_before));
            std::vector<int> done = zeros(count);
            int left = tasks_before;
            const failure found = failure_of([&] {
                for_each_task(ranks(), count, [&](index_t task) {
                    if (ranks().rank() == failing && left-- == 0)
                        throw std::runtime_error("no such orbital");
                    note(done, task);
                });
            });
            EXPECT_EQ(found.code, errc::invalid_argument);
            EXPECT_NE(found.message.find("no such orbital"), std::string::npos) << found.message;
            EXPECT_TRUE(same_on_all_ranks(found.message)) << found.message;
            all_reduce(ranks(), std::span(done), reduction::sum);
            for (const int times : done)
                ASSERT_LE(times, 1);
            // No message is left that could disturb the next list.
            std::vector<int> again = zeros(count);
            for_each_task(ranks(), count, [&](index_t task) { note(again, task); });
            ASSERT_TRUE(once_each(again));
        }
}

TEST(DistTasks, AStopOnOneRankEndsItOnAll) {
    for (int stopping = 0; stopping < ranks().size(); ++stopping) {
        std::stop_source source;
        double told = 0;
        const execution_control control{.progress =
                                            [&](double done) {
                                                EXPECT_GE(done, told);
                                                told = done;
                                            },
                                        .stop = source.get_token(),
                                        .interval = std::chrono::milliseconds(0)};
        index_t mine = 0;
        const failure found = failure_of([&] {
            for_each_task(ranks(), 4000,
                          [&](index_t) {
                              if (ranks().rank() == stopping && ++mine == 3)
                                  source.request_stop();
                          },
                          {.control = &control});
        });
        EXPECT_EQ(found.code, errc::stopped) << found.message;
        if (ranks().rank() == stopping) {
            EXPECT_EQ(mine, 3);
        }
    }
    double told = 0;
    const execution_control control{.progress = [&](double done) { told = done; },
                                    .stop = {},
                                    .interval = std::chrono::milliseconds(0)};
    for_each_task(ranks(), 100, [](index_t) {}, {.control = &control});
    EXPECT_EQ(told, 1);
}

/// A stop after the last task has no effect, nor does it reach calls that tasks make.
TEST(DistTasks, CallsOfTasksAreNotWatched) {
    std::stop_source source;
    const execution_control control{.progress = {}, .stop = source.get_token()};
    const world alone(MPI_COMM_SELF);
    std::vector<int> done = zeros(1);
    for_each_piece(ranks(), 1,
                   [&](tasks_of_piece, task_service &) {
                       source.request_stop();
                       dist_tensor<double> mine(alone, {3, 3});
                       dist_tensor<double> square(alone, {3, 3});
                       mine.fill(2.0);
                       contract("ab=ac*cb", mine, mine, square);
                       EXPECT_EQ(sum(square), 108.0);
                       note(done, 0);
                   },
                   {.control = &control});
    EXPECT_TRUE(once_each(done));
}

TEST(DistTasks, WrongArgumentsAreErrorsOnAllRanks) {
    const auto expect = [](errc code, const std::string &words, const auto &call) {
        const failure found = failure_of(call);
        EXPECT_EQ(found.code, code) << found.message;
        EXPECT_NE(found.message.find(words), std::string::npos) << found.message;
        EXPECT_TRUE(same_on_all_ranks(found.message)) << found.message;
    };
    const auto nothing = [](index_t) { ADD_FAILURE() << "a task was handed out"; };
    const std::vector<double> costs{1, std::nan(""), 2};
    const std::vector<double> negative{1, -1, 2};
    expect(errc::invalid_argument, "-1 tasks", [&] { for_each_task(ranks(), -1, nothing); });
    expect(errc::invalid_argument, "pieces of 0 tasks",
           [&] { for_each_task(ranks(), 3, nothing, {.grain = 0}); });
    expect(errc::extent_mismatch, "3 costs of 4 tasks",
           [&] { for_each_task(ranks(), 4, nothing, {.costs = costs}); });
    expect(errc::invalid_argument, "task 1 costs nan",
           [&] { for_each_task(ranks(), 3, nothing, {.costs = costs}); });
    expect(errc::invalid_argument, "task 1 costs -1",
           [&] { for_each_task(ranks(), 3, nothing, {.costs = negative}); });
    expect(errc::null_pointer, "function of tasks", [&] { for_each_piece(ranks(), 3, nullptr); });
    const int size = ranks().size();
    if (size == 1)
        return;
    const int rank = ranks().rank();
    expect(errc::disagreement, "tasks: rank 0 passed 3",
           [&] { for_each_task(ranks(), rank == 0 ? 3 : 4, nothing); });
    const std::vector<double> others{1, 1, rank == size - 1 ? 2.0 : 1.0};
    expect(errc::disagreement, "hash of the costs",
           [&] { for_each_task(ranks(), 3, nothing, {.costs = others}); });
    const execution_control control;
    expect(errc::disagreement, "control: rank 0 passed given", [&] {
        for_each_task(ranks(), 3, nothing, {.control = rank == 0 ? &control : nullptr});
    });
    expect(errc::invalid_argument, "collective, on the world that hands the tasks out", [&] {
        for_each_task(ranks(), 2 * size,
                      [&](index_t) { dist_tensor<double> another(ranks(), {3}); });
    });
    all_gather(ranks(), rank); // the world is as before
}

TEST(DistTasks, AreTraced) {
    dist_trace trace(ranks());
    for_each_task(ranks(), 8,
                  [](index_t) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
    const trace_totals all = trace.totals();
    EXPECT_GE(all.calls, all.compute);
    EXPECT_GE(all_reduce(ranks(), all.compute, reduction::sum), 8 * 0.002);
}

TEST(DistReduce, NumbersOfAllRanks) {
    const int rank = ranks().rank();
    const int size = ranks().size();
    EXPECT_EQ(all_reduce(ranks(), rank, reduction::max), size - 1);
    EXPECT_EQ(all_reduce(ranks(), rank + 7, reduction::min), 7);
    EXPECT_EQ(all_reduce(ranks(), static_cast<std::uint8_t>(rank == 1 ? 200 : 3), reduction::max),
              size > 1 ? 200 : 3);
    EXPECT_EQ(all_reduce(ranks(), 0.5, reduction::sum), 0.5 * size);
    for (const reduction how : {reduction::sum, reduction::min, reduction::max})
        EXPECT_TRUE(std::isnan(
            all_reduce(ranks(), rank == size / 2 ? std::nan("") : static_cast<double>(rank), how)));
    std::vector<float> none;
    all_reduce(ranks(), std::span(none), reduction::sum);

    std::vector<index_t> many(100'000); // several pieces
    std::iota(many.begin(), many.end(), index_t{rank});
    all_reduce(ranks(), std::span(many), reduction::sum);
    for (std::size_t i = 0; i < many.size(); ++i)
        ASSERT_EQ(many[i], size * static_cast<index_t>(i) + size * (size - 1) / 2);

    std::vector<double> reals;
    for (index_t i = 0; i < 50; ++i)
        reals.push_back(real_at<double>(std::vector<index_t>{i, rank}, 3));
    all_reduce(ranks(), std::span(reals), reduction::sum);
    std::string bits;
    for (const double one : reals)
        bits += std::to_string(std::bit_cast<std::uint64_t>(one)) + " ";
    EXPECT_TRUE(same_on_all_ranks(bits));
    if (size > 1) {
        std::vector<int> other(static_cast<std::size_t>(rank == 0 ? 3 : 4));
        EXPECT_EQ(failure_of([&] { all_reduce(ranks(), std::span(other), reduction::sum); }).code,
                  errc::disagreement);
    }
}

/// A value of a list, of 16 bytes.
struct listed {
    index_t rank;
    double value;
    friend bool operator==(const listed &, const listed &) = default;
};

/// Of other lengths on each rank, of which some have none.
std::vector<listed> list_of(int rank, int test_case) {
    random_source random(test_case + 1000 * rank);
    std::vector<listed> list(
        static_cast<std::size_t>(random.chance(0.3) ? 0 : random.integer(1, 40)));
    for (listed &one : list)
        one = {rank, static_cast<double>(random.integer(-9, 9))};
    return list;
}

TEST(DistGather, ListsOfAnyLengths) {
    const int rank = ranks().rank();
    const int size = ranks().size();
    for (const int test_case : cases_per_rank(40)) {
        SCOPED_TRACE(rerun_line(test_case));
        std::vector<listed> expected;
        std::vector<index_t> counts;
        for (int other = 0; other < size; ++other) {
            const std::vector<listed> list = list_of(other, test_case);
            expected.insert(expected.end(), list.begin(), list.end());
            counts.push_back(std::ssize(list));
        }
        const int root = test_case % size;
        const std::vector<listed> mine = list_of(rank, test_case);
        std::vector<listed> found(3), on_root(3), back(3);
        all_gather_lists(ranks(), mine, found);
        EXPECT_EQ(found, expected);
        gather_lists(ranks(), mine, on_root, root);
        EXPECT_EQ(on_root, rank == root ? expected : std::vector<listed>());
        if (rank != root) // they are ignored there
            counts.assign(1, -1);
        scatter_lists(ranks(), on_root, counts, back, root);
        EXPECT_EQ(back, mine);
    }
}

TEST(DistGather, ListsAreRefusedAlike) {
    const int rank = ranks().rank();
    const int size = ranks().size();
    const auto expect = [](errc code, const std::string &words, const auto &call) {
        const failure found = failure_of(call);
        EXPECT_EQ(found.code, code) << found.message;
        EXPECT_NE(found.message.find(words), std::string::npos) << found.message;
        EXPECT_TRUE(same_on_all_ranks(found.message)) << found.message;
    };
    const std::vector<int> values(static_cast<std::size_t>(size), 1);
    const auto ones = std::vector<index_t>(values.size(), 1);
    std::vector<int> to{5};
    expect(errc::invalid_argument, "root " + std::to_string(size),
           [&] { gather_lists(ranks(), values, to, size); });
    expect(errc::invalid_argument, "root -1", [&] { gather_lists(ranks(), values, to, -1); });
    expect(errc::invalid_argument, "root -2",
           [&] { scatter_lists(ranks(), values, ones, to, -2); });
    expect(errc::extent_mismatch, "lists for",
           [&] { scatter_lists(ranks(), values, std::vector<index_t>(values.size() + 1), to, 0); });
    expect(errc::extent_mismatch, "values together",
           [&] { scatter_lists(ranks(), values, std::vector<index_t>(values.size(), 2), to, 0); });
    expect(errc::invalid_argument, "-1 values for rank 0",
           [&] { scatter_lists(ranks(), values, std::vector<index_t>(values.size(), -1), to, 0); });
    EXPECT_EQ(to, std::vector<int>{5});
    if (size > 1)
        expect(errc::disagreement, "root: rank 0 passed 0",
               [&] { gather_lists(ranks(), values, to, rank == size - 1 ? 1 : 0); });
    scatter_lists(ranks(), values, ones, to, 0);
    EXPECT_EQ(to, std::vector<int>{1});
}

TEST(DistGather, SlicesThatAllRanksRead) {
    for (const int test_case : cases_per_rank(60)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 4)));
        dist_tensor<float> x(ranks(), extents,
                             random_distribution(random, extents, ranks().size()));
        fill_values(x, test_case);
        slice wanted;
        for (const index_t extent : extents) {
            wanted.offsets.push_back(random.integer(0, std::max<index_t>(0, extent - 1)));
            wanted.extents.push_back(random.integer(0, extent - wanted.offsets.back()));
        }
        tensor<float> expected(wanted.extents), found(wanted.extents);
        fill_block(wanted.offsets, expected.view(), test_case);
        gather_slice(x, wanted, found.view());
        EXPECT_TRUE(equal(found, expected));
    }
    dist_tensor<float> x(ranks(), {5, 4});
    tensor<float> to({5, 4});
    const auto code = [&](const slice &wanted) {
        return failure_of([&] { gather_slice(x, wanted, to.view()); }).code;
    };
    EXPECT_EQ(code({{0, 0}, {5, 4}}), errc::ok);
    EXPECT_EQ(code({{0, 0}, {5, 3}}), errc::extent_mismatch); // of its memory
    EXPECT_EQ(code({{1, 0}, {5, 4}}), errc::extent_mismatch); // of the tensor
    EXPECT_EQ(code({{0}, {5}}), errc::order_mismatch);
    if (ranks().size() > 1) {
        EXPECT_EQ(code({{0, ranks().rank() == 0 ? 0 : 1}, {5, 3}}), errc::disagreement);
    }
}

} // namespace
} // namespace tenfold::testing
