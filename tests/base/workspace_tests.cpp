// Tests the pool of workspace: its memory is aligned, is not lent twice, and comes back.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/error.hpp>
#include <tenfold/tensor.hpp>

#include "base/kept_blocks.hpp"
#include "base/workspace.hpp"
#include "support/random.hpp"

namespace tenfold::base {
namespace {

std::uintptr_t address(const void *pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// Keeps freed blocks until the test ends.
struct keeping {
    explicit keeping(index_t most) { keep_freed_blocks(bytes(most)); }
    ~keeping() { keep_freed_blocks({}); }
};
constexpr index_t one_mib = index_t{1} << 20;

TEST(KeptBlocks, are_given_again_where_the_size_is_the_same) {
    const keeping now(32 * one_mib);
    void *const first = allocate_aligned(bytes(8 * one_mib));
    std::memset(first, 7, static_cast<std::size_t>(8 * one_mib));
    free_aligned(first);
    EXPECT_EQ(kept_bytes(), bytes(8 * one_mib));
    std::vector<void *> others;
    for (const index_t size : {8 * one_mib - 64, 8 * one_mib + 64, 16 * one_mib}) {
        void *const other = allocate_aligned(bytes(size));
        EXPECT_NE(other, first) << size;
        EXPECT_EQ(kept_bytes(), bytes(8 * one_mib));
        others.push_back(other);
    }
    void *const again = allocate_aligned(bytes(8 * one_mib));
    EXPECT_EQ(again, first);
    EXPECT_EQ(static_cast<const unsigned char *>(again)[8 * one_mib - 1], 7);
    void *const second = allocate_aligned(bytes(8 * one_mib));
    EXPECT_NE(second, first);
    free_aligned(second);
    free_aligned(again);
    EXPECT_EQ(allocate_aligned(bytes(8 * one_mib)), again); // which was freed last
    free_aligned(again);
    for (void *one : others)
        free_aligned(one);
}

TEST(KeptBlocks, have_a_bound) {
    const keeping now(20 * one_mib);
    std::vector<void *> blocks;
    for (int i = 0; i < 3; ++i)
        blocks.push_back(allocate_aligned(bytes(8 * one_mib)));
    void *const larger = allocate_aligned(bytes(20 * one_mib + 1));
    void *const small = allocate_aligned(bytes(4 * one_mib - 1));
    for (void *one : blocks)
        free_aligned(one);
    EXPECT_EQ(kept_bytes(), bytes(16 * one_mib)); // the first one was freed for the third
    free_aligned(larger);
    free_aligned(small);
    EXPECT_EQ(kept_bytes(), bytes(16 * one_mib));
    void *const third = allocate_aligned(bytes(8 * one_mib));
    EXPECT_EQ(third, blocks[2]);
    EXPECT_EQ(kept_bytes(), bytes(8 * one_mib));
    keep_freed_blocks(bytes(4 * one_mib));
    EXPECT_EQ(kept_bytes(), bytes(0));
    free_aligned(third); // there is no room for it
    EXPECT_EQ(kept_bytes(), bytes(0));
    keep_freed_blocks(bytes(1024 * one_mib));
    blocks.clear();
    for (int i = 0; i < 20; ++i)
        blocks.push_back(allocate_aligned(bytes(4 * one_mib)));
    for (void *one : blocks)
        free_aligned(one);
    EXPECT_EQ(kept_bytes(), bytes(16 * 4 * one_mib)); // there are places for 16
}

TEST(KeptBlocks, are_none_unless_asked_for) {
    void *const before = allocate_aligned(bytes(8 * one_mib));
    const keeping now(32 * one_mib);
    free_aligned(before); // nobody knows its size
    EXPECT_EQ(kept_bytes(), bytes(0));
    void *const meanwhile = allocate_aligned(bytes(8 * one_mib));
    keep_freed_blocks({});
    free_aligned(meanwhile);
    EXPECT_EQ(kept_bytes(), bytes(0));
}

TEST(KeptBlocks, are_lent_to_one_thread_at_a_time) {
    const keeping now(64 * one_mib);
    std::atomic<int> shared_blocks{0};
    const auto use = [&](unsigned char mark) {
        for (int i = 0; i < 200; ++i) {
            auto *const block = static_cast<unsigned char *>(allocate_aligned(bytes(4 * one_mib)));
            block[4096] = mark;
            std::this_thread::yield();
            shared_blocks += block[4096] != mark;
            free_aligned(block);
        }
    };
    std::vector<std::thread> threads;
    for (unsigned char mark = 1; mark <= 4; ++mark)
        threads.emplace_back(use, mark);
    for (std::thread &one : threads)
        one.join();
    EXPECT_EQ(shared_blocks, 0);
    EXPECT_LE(kept_bytes(), bytes(16 * one_mib));
}

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
