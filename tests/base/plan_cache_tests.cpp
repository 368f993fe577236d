// Tests keys and the cache: an entry is found only under its exact key, and the cache keeps no more
// entries than allowed.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/plan_cache.hpp"
#include "support/random.hpp"

namespace tenfold::base {
namespace {

using testing::random_source;

plan_key key_of(std::uint64_t number) {
    plan_key key;
    key.add(number);
    return key;
}

bool same(const plan_key &one, const plan_key &other) {
    return std::ranges::equal(one.words(), other.words());
}

constexpr std::size_t size_of_plan = 1000;

/// The size of a cache for so many plans.
std::size_t room_for(std::size_t plans) {
    return plans * (size_of_plan + plan_cache::bytes_beside(key_of(0)));
}

void keep(plan_cache &cache, std::uint64_t number, std::size_t bytes = size_of_plan) {
    cache.keep(key_of(number), std::make_shared<const std::uint64_t>(number), bytes);
}

bool finds(plan_cache &cache, std::uint64_t number) {
    const auto *found = cache.find<std::uint64_t>(key_of(number));
    EXPECT_TRUE(found == nullptr || *found == number) << *found << " was found for " << number;
    return found != nullptr;
}

TEST(PlanKey, texts_of_another_length_or_cut_otherwise_differ) {
    const auto key_of_texts = [](std::initializer_list<std::string_view> texts) {
        plan_key key;
        for (const std::string_view text : texts)
            key.add(text);
        return key;
    };
    const std::string nul(1, '\0');
    EXPECT_TRUE(same(key_of_texts({"ab=ac*cb"}), key_of_texts({"ab=ac*cb"})));
    EXPECT_FALSE(same(key_of_texts({"ab=ac*cb"}), key_of_texts({"ab=ac*cb" + nul})));
    EXPECT_FALSE(same(key_of_texts({"ab=ac*cb"}), key_of_texts({"ab=ac*cc"})));
    EXPECT_FALSE(same(key_of_texts({"ab", "c"}), key_of_texts({"a", "bc"})));
    EXPECT_FALSE(same(key_of_texts({""}), key_of_texts({})));
}

TEST(PlanKey, layouts_are_told_apart_by_extents_and_by_strides) {
    const auto key_of_layouts = [](std::initializer_list<layout> shapes) {
        plan_key key;
        for (const layout &shape : shapes)
            key.add(shape);
        return key;
    };
    const auto first = key_of_layouts({layout({4, 6})});
    EXPECT_TRUE(same(first, key_of_layouts({layout({4, 6}, {1, 4})})));
    EXPECT_FALSE(same(first, key_of_layouts({layout({6, 4})})));
    EXPECT_FALSE(same(first, key_of_layouts({layout({4, 6}, {1, 5})})));
    EXPECT_FALSE(same(first, key_of_layouts({layout({4, 6}, {1, -4})})));
    EXPECT_FALSE(same(key_of_layouts({layout({2}), layout({3})}),
                      key_of_layouts({layout({2, 1}), layout()})));
}

TEST(PlanKey, holds_any_number_of_words) {
    for (const int count : {127, 128, 129, 300}) {
        plan_key key, equal, other;
        for (int i = 0; i < count; ++i) {
            key.add(static_cast<std::uint64_t>(i) * 11);
            equal.add(static_cast<std::uint64_t>(i) * 11);
            other.add(static_cast<std::uint64_t>(i) * 11 + (i == count - 1 ? 1 : 0));
        }
        ASSERT_EQ(key.words().size(), static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i)
            EXPECT_EQ(key.words()[static_cast<std::size_t>(i)], static_cast<std::uint64_t>(i) * 11);
        EXPECT_TRUE(same(key, equal));
        EXPECT_EQ(key.hash(), equal.hash());
        EXPECT_FALSE(same(key, other));
    }
}

TEST(PlanCache, finds_what_was_kept) {
    plan_cache cache(room_for(4));
    EXPECT_FALSE(finds(cache, 1));
    keep(cache, 1);
    keep(cache, 2);
    EXPECT_EQ(cache.size(), 2U);
    for (int again = 0; again < 2; ++again) {
        EXPECT_TRUE(finds(cache, 1));
        EXPECT_TRUE(finds(cache, 2));
        EXPECT_FALSE(finds(cache, 3));
    }
}

TEST(PlanCache, keeps_the_first_of_two_for_one_key) {
    plan_cache cache(room_for(4));
    const auto first = std::make_shared<const std::uint64_t>(1);
    cache.keep(key_of(1), first, size_of_plan);
    keep(cache, 1);
    EXPECT_EQ(cache.size(), 1U);
    EXPECT_EQ(cache.find<std::uint64_t>(key_of(1)), first.get());
}

TEST(PlanCache, drops_what_was_used_least_recently) {
    plan_cache cache(room_for(3));
    for (const std::uint64_t number : {1U, 2U, 3U})
        keep(cache, number);
    EXPECT_TRUE(finds(cache, 1));
    keep(cache, 4); // for 2
    EXPECT_EQ(cache.size(), 3U);
    // Another thread has not found anything yet that it could remember.
    std::thread([&] {
        EXPECT_FALSE(finds(cache, 2));
        EXPECT_TRUE(finds(cache, 1));
        EXPECT_TRUE(finds(cache, 3));
        EXPECT_TRUE(finds(cache, 4));
    }).join();
}

TEST(PlanCache, drops_no_more_than_a_plan_needs) {
    plan_cache cache(room_for(8));
    for (std::uint64_t number = 0; number < 8; ++number)
        keep(cache, number);
    EXPECT_EQ(cache.bytes(), room_for(8));
    keep(cache, 8, size_of_plan / 2); // for one
    EXPECT_EQ(cache.size(), 8U);
    keep(cache, 9, 2 * size_of_plan); // for two: half a place is free
    EXPECT_EQ(cache.size(), 7U);
    EXPECT_LE(cache.bytes(), room_for(8));
    keep(cache, 10, room_for(8)); // larger than the cache with its key
    EXPECT_EQ(cache.size(), 7U);
    std::thread([&] {
        for (const std::uint64_t number : {0U, 1U, 2U, 10U})
            EXPECT_FALSE(finds(cache, number)) << number;
        for (std::uint64_t number = 3; number < 10; ++number)
            EXPECT_TRUE(finds(cache, number)) << number;
    }).join();
}

/// Against a plain list in the order of use.
TEST(PlanCache, always_drops_the_least_recent) {
    constexpr std::size_t most = 20;
    plan_cache cache(room_for(most));
    std::vector<std::uint64_t> by_use;
    random_source random(1);
    const auto use = [&](std::uint64_t number) {
        std::erase(by_use, number);
        by_use.push_back(number);
    };
    for (int i = 0; i < 3000; ++i) {
        const auto number = static_cast<std::uint64_t>(random.integer(0, 59));
        const bool known = std::ranges::find(by_use, number) != by_use.end();
        // A thread of its own has nothing in front of the shared table.
        std::thread([&] { ASSERT_EQ(finds(cache, number), known); }).join();
        if (!known) {
            if (by_use.size() == most)
                by_use.erase(by_use.begin());
            keep(cache, number);
        }
        use(number);
    }
}

TEST(PlanCache, use_without_the_shared_table_counts_too) {
    plan_cache cache(room_for(8));
    keep(cache, 1);
    for (std::uint64_t number = 2; number < 100; ++number) {
        EXPECT_TRUE(finds(cache, 1));
        keep(cache, number);
    }
    EXPECT_EQ(cache.size(), 8U);
    std::thread([&] { EXPECT_TRUE(finds(cache, 1)); }).join();
}

TEST(PlanCache, of_no_size_keeps_nothing) {
    plan_cache cache(0);
    keep(cache, 1);
    EXPECT_EQ(cache.size(), 0U);
    EXPECT_FALSE(finds(cache, 1));
}

TEST(PlanCache, does_not_find_what_another_cache_kept) {
    plan_cache one(room_for(4)), other(room_for(4));
    keep(one, 1);
    EXPECT_TRUE(finds(one, 1));
    EXPECT_FALSE(finds(other, 1));
    for (int i = 0; i < 100; ++i) { // in the same place, most likely
        auto next = std::make_unique<plan_cache>(room_for(4));
        EXPECT_FALSE(finds(*next, 1));
        keep(*next, 1);
        EXPECT_TRUE(finds(*next, 1));
    }
}

TEST(PlanCache, lets_go_of_what_it_drops) {
    plan_cache cache(room_for(2));
    std::vector<std::weak_ptr<const std::uint64_t>> kept;
    std::thread([&] {
        for (std::uint64_t number = 0; number < 1000; ++number) {
            auto plan = std::make_shared<const std::uint64_t>(number);
            kept.push_back(plan);
            cache.keep(key_of(number), std::move(plan), size_of_plan);
            EXPECT_TRUE(finds(cache, number));
        }
    }).join(); // with its table
    const auto alive = std::ranges::count_if(kept, [](const auto &one) { return !one.expired(); });
    EXPECT_EQ(alive, 2);
}

TEST(PlanCache, threads_find_their_own) {
    plan_cache cache(room_for(16));
    std::atomic<int> found = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&cache, &found, t] {
            random_source random(t);
            for (int i = 0; i < 5000; ++i) {
                // A few keys that all threads use, and many that evict them.
                const auto number =
                    static_cast<std::uint64_t>(random.integer(0, random.chance(0.8) ? 7 : 63));
                if (finds(cache, number))
                    ++found;
                else
                    keep(cache, number);
            }
        });
    for (std::thread &one : threads)
        one.join();
    EXPECT_EQ(cache.size(), 16U);
    EXPECT_GT(found, 8 * 5000 / 4);
}

} // namespace
} // namespace tenfold::base
