// Tests redistributions whose messages do not all fit the window at once, so that slots are reused.
// The library's window is 64 MiB; here it is a few elements. And what needs no buffers.
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include <sched.h>

#include <tenfold/dist_operations.hpp>

#include "distributed/exchange/copy_box.hpp"
#include "distributed/exchange/exchange.hpp"
#include "distributed/plan/slice.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

using dist_impl::exchange;
using dist_impl::exchange_limits;
using dist_impl::placement;

template <class T> class DistExchange : public ::testing::Test {};
using shortest_and_longest = ::testing::Types<float, c64>;
TYPED_TEST_SUITE(DistExchange, shortest_and_longest);

enum class way : std::uint8_t { at_once, in_the_background };

/// Moves a block of one distribution into that of another one, through slots between guards.
/// Returns whether slots were reused.
template <class T> bool moves(const distribution &from, const distribution &to,
                              const exchange_limits &limits, int salt, way how = way::at_once) {
    dist_impl::communicator comm(ranks().comm());
    const auto source_of = [&](int rank) { return from.block_of(rank); };
    const auto target_of = [&](int rank) { return to.block_of(rank); };
    exchange<T> movement(comm, source_of, target_of, &from, limits);

    constexpr index_t size = sizeof(T);
    const index_t words = movement.buffer_words();
    EXPECT_LE(words, 2 * limits.window / size);
    const T untouched(-77);
    constexpr index_t guard = 64;
    std::vector<T> memory(static_cast<std::size_t>(words + 2 * guard), untouched);
    movement.use(memory.data() + guard);

    const slice source = source_of(comm.rank());
    const slice target = target_of(comm.rank());
    tensor<T> given(source.none ? extents_t{0} : source.extents);
    tensor<T> moved(target.none ? extents_t{0} : target.extents);
    tensor<T> expected(target.none ? extents_t{0} : target.extents);
    if (!source.none)
        fill_block(source.offsets, given.view(), salt);
    if (!target.none)
        fill_block(target.offsets, expected.view(), salt);
    placement<const T> given_at(given.data(), source);
    placement<T> moved_at(moved.data(), target);
    if (how == way::at_once) {
        movement.run(given_at, moved_at, T(0));
    } else {
        constexpr int tag = 16;
        movement.start(std::move(given_at), std::move(moved_at), tag);
        EXPECT_EQ(movement.is_through(), movement.peers().empty());
        while (!movement.is_through())
            if (!movement.advance())
                sched_yield();
        EXPECT_TRUE(movement.peers().empty());
        EXPECT_EQ(movement.bytes_arriving(),
                  (target.size() - dist_impl::intersection_size(source, target)) *
                      static_cast<index_t>(sizeof(T)));
        EXPECT_EQ(comm.bytes_received(), 0U) << "those of calls";
    }

    EXPECT_TRUE(equal(moved, expected));
    for (index_t i = 0; i < guard; ++i) {
        EXPECT_EQ(memory[static_cast<std::size_t>(i)], untouched);
        EXPECT_EQ(memory[static_cast<std::size_t>(guard + words + i)], untouched);
    }
    const index_t received = target.size() - dist_impl::intersection_size(source, target);
    return received * size > limits.window;
}

TYPED_TEST(DistExchange, SlotsThatAreUsedAgainHoldTheLongestMessage) {
    // If the length of a message does not divide 28, the last message is shorter.
    const extents_t extents{28};
    const int size = ranks().size();
    const auto on_first = distribution::on_rank(extents, size, 0);
    const auto on_last = distribution::on_rank(extents, size, size - 1);
    constexpr index_t word = sizeof(TypeParam);
    for (index_t message = 1; message <= 9; ++message)
        for (const index_t window : {message, message + 1, 2 * message + 1, 3 * message}) {
            SCOPED_TRACE(std::to_string(message) + " of " + std::to_string(window));
            const bool again =
                moves<TypeParam>(on_first, on_last, {message * word, window * word}, 1);
            EXPECT_TRUE(again || window >= 28 || size == 1 || ranks().rank() != size - 1);
        }
}

TYPED_TEST(DistExchange, MovesAnythingThroughAnyWindow) {
    for (const int test_case : cases_per_rank(400)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(1, 4)));
        const auto from = random_distribution(random, extents, ranks().size());
        const auto to = random_distribution(random, extents, ranks().size());
        constexpr index_t word = sizeof(TypeParam);
        const index_t message = random.integer(1, 20);
        const index_t window = message * random.integer(1, 4) + random.integer(0, message - 1);
        SCOPED_TRACE(from.describe() + " -> " + to.describe() + ", messages of " +
                     std::to_string(message) + ", " + std::to_string(window) + " at a time");
        moves<TypeParam>(from, to, {message * word, window * word}, test_case,
                         random.chance(0.5) ? way::in_the_background : way::at_once);
    }
}

TYPED_TEST(DistExchange, AddsWithTheSameBitsOnAnyNumberOfThreads) {
    using T = TypeParam;
    const extents_t extents{70, 50, 40}; // enough for several threads
    const extents_t turned{50 * 40, 40, 1};
    const extents_t dense = dist_impl::dense_strides(extents);
    constexpr std::size_t size = 70 * 50 * 40;
    random_source random(1);
    std::vector<T> from(size), before(size);
    for (std::size_t i = 0; i < size; ++i) {
        from[i] = T(static_cast<float>(random.real() - 0.5));
        before[i] = T(static_cast<float>(random.real() - 0.5));
    }
    const auto same = [&](const auto &run, const std::vector<T> &old) {
        std::vector<T> alone = old, shared = old;
        run(alone.data(), 1);
        run(shared.data(), 3);
        return std::memcmp(alone.data(), shared.data(), size * sizeof(T)) == 0 &&
               std::memcmp(alone.data(), old.data(), size * sizeof(T)) != 0;
    };
    const std::vector<T> poisoned(size, T(std::numeric_limits<float>::quiet_NaN()));
    for (const T beta : {T(0), T(1), T(0.3F)}) {
        const std::vector<T> &old = beta == T(0) ? poisoned : before;
        const auto update = [&](T *to, int threads) {
            dist_impl::update_box<T>(extents, from.data(), turned, beta, to, dense, threads);
        };
        EXPECT_TRUE(same(update, old));
        const auto combine = [&](T *to, int threads) {
            dist_impl::combine_box<T>(extents, T(0.7F), from.data(), turned, beta, to, dense,
                                      threads);
        };
        EXPECT_TRUE(same(combine, old));
    }
    const auto scale = [&](T *to, int threads) {
        dist_impl::scale_box<T>(extents, T(0.3F), to, dense, threads);
    };
    EXPECT_TRUE(same(scale, before));
}

/// Whole blocks lie in one piece.
TYPED_TEST(DistExchange, SendsWhatLiesInOnePieceFromWhereItIs) {
    using T = TypeParam;
    const int size = ranks().size();
    const extents_t extents{4, 5, 13};
    const distribution from(extents, {1, size, 1}, size);
    dist_impl::communicator comm(ranks().comm());
    const auto source_of = [&](int rank) { return from.block_of(rank); };
    const slice source = source_of(comm.rank());
    tensor<T> given(source.extents);
    fill_block(source.offsets, given.view(), 1);
    const placement<const T> place(given.data(), source);

    const slice all{{0, 0, 0}, extents};
    exchange<T> whole(comm, source_of, [&](int) { return all; });
    whole.send_in_place(place);
    const index_t received = all.size() - source.size();
    EXPECT_EQ(whole.buffer_words(), received);
    std::vector<T> memory(static_cast<std::size_t>(received) + 1, T(-77));
    whole.use(memory.data());
    tensor<T> moved(extents);
    whole.run(place, placement<T>(moved.data(), all), T(0));
    EXPECT_TRUE(equal(moved, make_values<T>(extents, 1)));
    EXPECT_EQ(memory.back(), T(-77));

    const auto first_half = [](int) { return slice{{0, 0, 0}, {2, 5, 13}}; };
    exchange<T> rows(comm, source_of, first_half);
    const index_t words = rows.buffer_words();
    rows.send_in_place(place);
    EXPECT_EQ(rows.buffer_words(), words); // they are packed
}

/// So large that transpositions add them, as plain loops do.
TEST(DistExchangeOfSlices, AddsLargeOnesInAnyOrderOfModes) {
    const int size = ranks().size();
    const extents_t extents{72, 72, 4, 4};
    const slice all{{0, 0, 0, 0}, extents};
    const distribution spread(extents, {1, size, 1, 1}, size);
    dist_tensor<double> x(ranks(), extents, spread), y(ranks(), extents, spread);
    fill_reals(x, 1);
    fill_reals(y, 2);
    transpose("abij+=baji", x, all, y, all);
    const slice &block = y.local_slice();
    const double *found = y.data();
    for_each_position(block.offsets, block.extents, [&](const extents_t &at) {
        const extents_t flipped{at[1], at[0], at[3], at[2]};
        ASSERT_EQ(*found++, real_at<double>(at, 2) + real_at<double>(flipped, 1));
    });
}

} // namespace
} // namespace tenfold::testing
