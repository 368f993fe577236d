#include "mpi/allocation_failure.hpp"

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <malloc.h>

#include "mpi/ranks.hpp"

namespace {

/// The number of allocations that succeed before one fails; then all succeed. Negative: none fails.
std::atomic<long> allocations_left{-1};

bool fails() noexcept { return allocations_left >= 0 && allocations_left.fetch_sub(1) == 0; }

} // namespace

[[gnu::noinline]] void *operator new(std::size_t size) {
    void *memory = fails() ? nullptr : std::malloc(size > 0 ? size : 1);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}
[[gnu::noinline]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

/// Tenfold's own for elements and buffers. The linker takes this function before the C library's.
extern "C" void *aligned_alloc(std::size_t alignment, std::size_t size) {
    return fails() ? nullptr : memalign(alignment, size);
}

namespace tenfold::testing {
namespace {

/// The outcome of a try on one rank.
struct outcome {
    int threw = 0;
    int reached = 0; ///< whether the allocation that should fail was made
};

std::vector<outcome> outcomes_of_all(const outcome &mine) {
    std::vector<outcome> all(static_cast<std::size_t>(ranks().size()));
    MPI_Allgather(&mine, 2, MPI_INT, all.data(), 2, MPI_INT, ranks().comm());
    return all;
}

/// Fails the allocation with the number `which` of the victim's, from 0. Returns false if there are
/// not as many.
bool try_with(int victim, long which, const operation &one) {
    const trial tried = one.prepare();
    outcome mine;
    failure found;
    if (ranks().rank() == victim)
        allocations_left = which;
    try {
        tried.call();
        mine.reached = ranks().rank() == victim && allocations_left < 0 ? 1 : 0;
        allocations_left = -1;
    } catch (const error &thrown) {
        mine = {1, allocations_left < 0 ? 1 : 0};
        allocations_left = -1;
        found = {thrown.code(), thrown.what()};
    } catch (const std::exception &thrown) {
        mine = {1, allocations_left < 0 ? 1 : 0};
        allocations_left = -1;
        ADD_FAILURE() << thrown.what() << " instead of an error";
    }
    const std::vector<outcome> all = outcomes_of_all(mine);
    int threw = 0;
    for (const outcome &other : all)
        threw += other.threw;
    EXPECT_TRUE(threw == 0 || threw == ranks().size())
        << threw << " of " << ranks().size() << " ranks threw";
    if (threw == 0) {
        tried.check();
    } else if (threw == ranks().size()) {
        EXPECT_EQ(found.code, errc::out_of_memory) << found.message;
        EXPECT_EQ(found.message.find("rank " + std::to_string(victim) + ": "), 0U) << found.message;
        EXPECT_NE(found.message.find(one.name), std::string::npos) << found.message;
        EXPECT_TRUE(same_on_all_ranks(found.message)) << found.message;
    }
    const bool reached = all[static_cast<std::size_t>(victim)].reached != 0;
    EXPECT_TRUE(reached || mine.threw == 0) << "an error without a cause";
    return reached;
}

/// Fails every allocation that the victim makes in the operation.
void fail_each(int victim, const operation &one) {
    dist_tensor<double> known(ranks(), {3, 4});
    known.fill(2.0);
    long which = 0;
    for (bool more = true; more && !::testing::Test::HasFailure(); ++which) {
        SCOPED_TRACE(std::string(one.name) + ", rank " + std::to_string(victim) + ", allocation " +
                     std::to_string(which));
        more = try_with(victim, which, one);
        EXPECT_EQ(known.norm(), std::sqrt(48.0)) << "the world is not usable any more";
        int failed = ::testing::Test::HasFailure() ? 1 : 0;
        MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, ranks().comm());
        if (failed != 0 && !::testing::Test::HasFailure())
            ADD_FAILURE() << "another rank failed";
    }
    if (ranks().rank() == 0)
        std::printf("%ld allocations of rank %d failed, one after the other\n", which - 1, victim);
    EXPECT_GT(which, 1) << "the operation allocates nothing, so that nothing was tried";
}

} // namespace

void fail_each(const operation &one) {
    if (ranks().size() == 1)
        return;
    fail_each(1, one);
    if (!::testing::Test::HasFailure())
        fail_each(0, one);
}

} // namespace tenfold::testing
