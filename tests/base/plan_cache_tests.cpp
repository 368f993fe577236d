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

void keep(plan_cache &cache, std::uint64_t number) {
    cache.keep(key_of(number), std::make_shared<const std::uint64_t>(number));
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
    plan_cache cache(4);
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
    plan_cache cache(4);
    const auto first = std::make_shared<const std::uint64_t>(1);
    cache.keep(key_of(1), first);
    keep(cache, 1);
    EXPECT_EQ(cache.size(), 1U);
    EXPECT_EQ(cache.find<std::uint64_t>(key_of(1)), first.get());
}

TEST(PlanCache, drops_what_was_used_least_recently) {
    plan_cache cache(3);
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

TEST(PlanCache, use_without_the_shared_table_counts_too) {
    plan_cache cache(8);
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
    plan_cache one(4), other(4);
    keep(one, 1);
    EXPECT_TRUE(finds(one, 1));
    EXPECT_FALSE(finds(other, 1));
    for (int i = 0; i < 100; ++i) { // in the same place, most likely
        auto next = std::make_unique<plan_cache>(4);
        EXPECT_FALSE(finds(*next, 1));
        keep(*next, 1);
        EXPECT_TRUE(finds(*next, 1));
    }
}

TEST(PlanCache, lets_go_of_what_it_drops) {
    plan_cache cache(2);
    std::vector<std::weak_ptr<const std::uint64_t>> kept;
    std::thread([&] {
        for (std::uint64_t number = 0; number < 1000; ++number) {
            auto plan = std::make_shared<const std::uint64_t>(number);
            kept.push_back(plan);
            cache.keep(key_of(number), std::move(plan));
            EXPECT_TRUE(finds(cache, number));
        }
    }).join(); // with its table
    const auto alive = std::ranges::count_if(kept, [](const auto &one) { return !one.expired(); });
    EXPECT_EQ(alive, 2);
}

TEST(PlanCache, threads_find_their_own) {
    plan_cache cache(16);
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
