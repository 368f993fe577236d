// Tests the pool of workspace: its memory is aligned, is not lent twice, and comes back.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include <tenfold/error.hpp>
#include <tenfold/tensor.hpp>

#include "base/workspace.hpp"
#include "support/random.hpp"

namespace tenfold::base {
namespace {

std::uintptr_t address(const void *pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

TEST(AllocateAligned, aligns_and_refuses) {
    for (const index_t size : {0, 1, 63, 64, 65, 100'000}) {
        const std::unique_ptr<void, aligned_deleter> memory(allocate_aligned(bytes(size)));
        EXPECT_EQ(address(memory.get()) % 64, 0U);
        std::memset(memory.get(), 0xff, static_cast<std::size_t>(size));
    }
    for (const index_t size : {INT64_MAX, INT64_MAX - 1, INT64_MAX - (4 << 20), index_t{1} << 62})
        try {
            free_aligned(allocate_aligned(bytes(size)));
            ADD_FAILURE() << size << " bytes were there";
        } catch (const error &e) {
            EXPECT_EQ(e.code(), errc::out_of_memory);
            EXPECT_EQ(e.what(), "cannot allocate " + std::to_string(size) + " bytes");
        }
}

TEST(WorkspacePool, lends_aligned_blocks) {
    workspace_pool pool;
    for (const index_t size : {index_t{1}, index_t{64}, index_t{1000}, index_t{1} << 20}) {
        const workspace_lease lease = pool.acquire(bytes(size));
        ASSERT_TRUE(lease);
        EXPECT_GE(std::ssize(lease.memory()), size);
        EXPECT_EQ(address(lease.memory().data()) % 64, 0U);
        std::memset(lease.memory().data(), 0xff, lease.memory().size());
    }
    const workspace_lease large = pool.acquire(mib(5));
    ASSERT_TRUE(large);
    EXPECT_EQ(address(large.memory().data()) % (2 << 20), 0U); // for huge pages
    std::memset(large.memory().data(), 0xff, large.memory().size());
}

TEST(WorkspacePool, nothing_asked_nothing_given) {
    workspace_pool pool;
    for (const index_t size : {index_t{0}, index_t{-1}, INT64_MIN}) {
        const workspace_lease lease = pool.acquire(bytes(size));
        EXPECT_TRUE(lease);
        EXPECT_TRUE(lease.memory().empty());
    }
}

TEST(WorkspacePool, reuses_the_smallest_block_that_fits) {
    workspace_pool pool;
    const std::byte *small = nullptr, *large = nullptr;
    {
        const workspace_lease one = pool.acquire(kib(1)), other = pool.acquire(kib(8));
        small = one.memory().data();
        large = other.memory().data();
        EXPECT_NE(small, large);
    }
    const workspace_lease again = pool.acquire(bytes(1000));
    EXPECT_EQ(again.memory().data(), small);
    EXPECT_EQ(again.memory().size(), 1024U);
    const workspace_lease next = pool.acquire(bytes(1000));
    EXPECT_EQ(next.memory().data(), large);
    const workspace_lease fresh = pool.acquire(bytes(1000));
    EXPECT_NE(fresh.memory().data(), small);
    EXPECT_NE(fresh.memory().data(), large);
}

TEST(WorkspacePool, survives_many_blocks_at_a_time) {
    workspace_pool pool;
    for (int round = 0; round < 3; ++round) {
        std::vector<workspace_lease> leases;
        for (int i = 1; i <= 20; ++i)
            leases.push_back(pool.acquire(kib(i)));
        std::vector<const std::byte *> starts;
        for (const workspace_lease &lease : leases)
            starts.push_back(lease.memory().data());
        std::sort(starts.begin(), starts.end());
        EXPECT_EQ(std::adjacent_find(starts.begin(), starts.end()), starts.end());
    }
    pool.release();
    EXPECT_TRUE(pool.acquire(kib(1)));
}

TEST(WorkspacePool, leases_move) {
    workspace_pool pool;
    workspace_lease none;
    EXPECT_FALSE(none);
    EXPECT_TRUE(none.memory().empty());
    workspace_lease first = pool.acquire(kib(1));
    const std::byte *const block = first.memory().data();
    workspace_lease second = std::move(first);
    EXPECT_EQ(second.memory().data(), block);
    second = pool.acquire(kib(2)); // gives the first block back
    EXPECT_NE(second.memory().data(), block);
    EXPECT_EQ(pool.acquire(kib(1)).memory().data(), block);
    second = workspace_lease();
    EXPECT_FALSE(second);
}

TEST(WorkspacePool, a_null_lease_when_there_is_no_memory) {
    workspace_pool pool;
    (void)pool.acquire(kib(4)); // something idle to give up first
    for (const index_t size : {INT64_MAX, INT64_MAX - 63, index_t{1} << 62}) {
        const workspace_lease lease = pool.acquire(bytes(size));
        EXPECT_FALSE(lease) << size;
        EXPECT_TRUE(lease.memory().empty());
    }
    EXPECT_TRUE(pool.acquire(kib(4))); // still alive
}

TEST(WorkspacePool, no_block_is_lent_to_two_threads) {
    workspace_pool pool;
    std::atomic<int> damaged{0};
    std::vector<std::thread> threads;
    for (int id = 0; id < 4; ++id)
        threads.emplace_back([&, id] {
            testing::random_source random(id);
            for (int round = 0; round < 2'000; ++round) {
                const workspace_lease lease = pool.acquire(bytes(random.integer(1, 4096)));
                const auto memory = lease.memory();
                const auto mark = static_cast<std::byte>(id * 50 + round % 50);
                std::fill(memory.begin(), memory.end(), mark);
                if (round % 16 == 0)
                    std::this_thread::yield();
                damaged += !std::all_of(memory.begin(), memory.end(),
                                        [&](std::byte byte) { return byte == mark; });
                if (round % 500 == 499)
                    pool.release();
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(damaged, 0);
}

TEST(Arena, hands_out_aligned_pieces_in_order) {
    EXPECT_EQ(aligned_bytes(0), 0);
    EXPECT_EQ(aligned_bytes(1), 64);
    EXPECT_EQ(aligned_bytes(64), 64);
    workspace_pool pool;
    const workspace_lease lease = pool.acquire(bytes(64 + 128 + 64));
    arena pieces(lease.memory());
    auto *const first = pieces.take<double>(3);
    auto *const none = pieces.take<float>(0);
    auto *const second = pieces.take<c64>(8);
    EXPECT_EQ(address(first), address(lease.memory().data()));
    EXPECT_EQ(address(second), address(first) + 64);
    EXPECT_EQ(address(none), address(second));
    EXPECT_EQ(pieces.rest().size(), 64U);
    EXPECT_EQ(address(pieces.rest().data()), address(second) + 128);
}

} // namespace
} // namespace tenfold::base
