// Fails one allocation of one rank after the other: all ranks must throw or all succeed, and the
// world must be usable afterwards. If a rank waits for ever, the watchdog ends the program.
//
// Allocations by malloc() are beyond the test: MPI, HDF5 and OpenMP make them.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <malloc.h>

#include <tenfold/context.hpp>
#include <tenfold/contraction_epilogue.hpp>
#include <tenfold/dist_trace.hpp>

#include "mpi/files.hpp"

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

/// One try of an operation. `call` has all its arguments, so that it alone allocates.
struct trial {
    std::function<void()> call;
    std::function<void()> check = [] {}; ///< of the result
};

/// What a try came to on one rank.
struct outcome {
    int threw = 0;
    int reached = 0; ///< whether the allocation that should fail was made
};

struct operation {
    const char *name; ///< as messages have it; empty where they have the names of several steps
    std::function<trial()> prepare;
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

/// Fails them on rank 1, then on rank 0, to which others turn in some operations.
void fail_each(const operation &one) {
    if (ranks().size() == 1)
        return;
    fail_each(1, one);
    if (!::testing::Test::HasFailure())
        fail_each(0, one);
}

class AllocationFailure : public ::testing::Test {
protected:
    AllocationFailure() { fill_values(a, 1); }

    distribution rows() const { return {shape, {ranks().size(), 1}, ranks().size()}; }
    distribution columns() const { return {shape, {1, ranks().size()}, ranks().size()}; }
    void expect_values(const tensor<double> &found) const {
        EXPECT_TRUE(equal(found, make_values<double>(shape, 1)));
    }

    const extents_t shape{6, 5};
    dist_tensor<double> a{ranks(), shape, rows()};
};

TEST_F(AllocationFailure, InNorm) {
    const dist_tensor<double> zero(ranks(), shape);
    const dist_tensor<c64> complex(ranks(), shape);
    fail_each({"norm", [&] { return trial{[&] { EXPECT_EQ(zero.norm(), 0); }}; }});
    fail_each({"norm", [&] { return trial{[&] { EXPECT_EQ(complex.norm(), 0); }}; }});
}

TEST_F(AllocationFailure, InRedistribute) {
    fail_each({"redistribute", [&] {
                   auto to = std::make_shared<distribution>(columns());
                   auto result = std::make_shared<std::optional<dist_tensor<double>>>();
                   return trial{[&, to, result] { *result = a.redistribute(std::move(*to)); },
                                [&, result] { expect_values((**result).gather_all()); }};
               }});
}

TEST_F(AllocationFailure, InANewWorld) {
    fail_each({"world", [&] { return trial{[] { const world made(MPI_COMM_WORLD); }}; }});
}

TEST_F(AllocationFailure, InANewTensor) {
    fail_each({"dist_tensor", [&] {
                   auto extents = std::make_shared<extents_t>(shape);
                   return trial{
                       [extents] { const dist_tensor<double> made(ranks(), std::move(*extents)); }};
               }});
    fail_each({"dist_tensor", [&] {
                   auto extents = std::make_shared<extents_t>(shape);
                   auto spread = std::make_shared<distribution>(rows());
                   return trial{[extents, spread] {
                       const dist_tensor<double> made(ranks(), std::move(*extents),
                                                      std::move(*spread));
                   }};
               }});
}

TEST_F(AllocationFailure, InFill) {
    fail_each({"fill", [&] {
                   return trial{[&] { fill_values(a, 1); }, [&] { expect_values(a.gather_all()); }};
               }});
}

TEST_F(AllocationFailure, InRead) {
    const slice part{{1, 0}, {3, 4}};
    fail_each({"read", [&] { return trial{[&] { static_cast<void>(a.read(part)); }}; }});
    auto into = std::make_shared<tensor<double>>(extents_t{3, 4});
    fail_each({"read", [&] {
                   auto view = std::make_shared<tensor_view<double>>(into->view());
                   return trial{[&a = a, &part, view] { a.read_into(part, std::move(*view)); }};
               }});
}

TEST_F(AllocationFailure, InWrite) {
    const tensor<double> values = make_values<double>(shape, 1);
    const slice everything{{0, 0}, shape};
    const slice nothing{{0, 0}, {0, 0}, true};
    fail_each({"write", [&] {
                   auto view = std::make_shared<tensor_view<const double>>(values.view());
                   return trial{[&, view] {
                                    a.write(ranks().rank() == 0 ? everything : nothing,
                                            std::move(*view));
                                },
                                [&] { expect_values(a.gather_all()); }};
               }});
}

TEST_F(AllocationFailure, InGatherAndScatter) {
    fail_each(
        {"read", [&] {
             auto all = std::make_shared<std::optional<tensor<double>>>();
             return trial{[&, all] { *all = a.gather_all(); }, [&, all] { expect_values(**all); }};
         }});
    fail_each({"", [&] {
                   return trial{
                       [&] { EXPECT_EQ(a.gather(1).size(), ranks().rank() == 1 ? 30 : 0); }};
               }});
    const tensor<double> values = make_values<double>(shape, 1);
    fail_each({"", [&] {
                   auto view = std::make_shared<tensor_view<const double>>(values.view());
                   return trial{[&, view] { a.scatter(std::move(*view), 0); },
                                [&] { expect_values(a.gather_all()); }};
               }});
}

TEST_F(AllocationFailure, InDot) {
    const dist_tensor<double> b = a.redistribute(columns());
    fail_each({"", [&] { return trial{[&] { EXPECT_GT(dot(a, b), 0); }}; }});
}

/// Planning makes thousands of allocations, so that only the long tests (TENFOLD_TEST_LONG) fail
/// each of them. The others contract as the known plan says.
bool is_long() { return std::getenv("TENFOLD_TEST_LONG") != nullptr; }

class AllocationFailureInContract : public AllocationFailure {
protected:
    AllocationFailureInContract() {
        fill_values(b, 2);
        fill_values(c, 5);
        fill_values(e, 6);
    }

    /// Tries `contracts(ctx)` with contexts that know its plan (null) or know none.
    void fail_each_in(
        const std::function<void(const context *ctx)> &contracts,
        const std::function<void()> &prepare = [] {}, const std::function<void()> &check = [] {},
        const char *name = "contract") {
        prepare();
        contracts(nullptr);
        fail_each({name, [&] {
                       prepare();
                       return trial{[&] { contracts(nullptr); }, check};
                   }});
        if (is_long())
            fail_each({name, [&] {
                           prepare();
                           auto ctx = std::make_shared<context>(typical());
                           return trial{[&, ctx] { contracts(ctx.get()); }, check};
                       }});
    }

    /// Tries "mn=mk*kn" with these options.
    void contract_with(const dist_options &given) {
        const auto prepare = [&] { fill_values(d, 3); };
        prepare();
        contract("mn=mk*kn", c, b, d, given);
        const tensor<double> expected = d.gather_all();
        fail_each_in(
            [&](const context *ctx) {
                dist_options options = given;
                options.ctx = ctx;
                contract("mn=mk*kn", c, b, d, options);
            },
            prepare, [&] { EXPECT_TRUE(equal(d.gather_all(), expected)); });
    }
    static settings typical() {
        settings chosen = settings::from_environment();
        chosen.calibration = "off";
        return chosen;
    }

    dist_tensor<double> b{ranks(), {10, 8}};
    dist_tensor<double> c{ranks(), {12, 10}};
    dist_tensor<double> d{ranks(), {12, 8}};
    dist_tensor<double> e{ranks(), {8, 5}};
};

TEST_F(AllocationFailureInContract, ThatGathers) { contract_with({}); }

TEST_F(AllocationFailureInContract, InSteps) {
    contract_with({.beta = 2.0,
                   .grid = processor_grid{.m = ranks().size()},
                   .step = step_size{.n = 3, .k = 4}});
}

TEST_F(AllocationFailureInContract, ThatSums) {
    contract_with({.beta = 2.0, .grid = processor_grid{.k = ranks().size()}});
}

TEST_F(AllocationFailureInContract, ThatIsReproducible) {
    contract_with({.beta = 2.0, .reproducible = true});
}

TEST_F(AllocationFailureInContract, WithAnEpilogue) {
    contraction_epilogue doubles;
    doubles.scale(2.0);
    contract_with({.epilogue = &doubles});
}

TEST_F(AllocationFailureInContract, OfOneInput) {
    dist_tensor<double> sums(ranks(), {12});
    fail_each_in([&](const context *ctx) { contract("m=mk", c, sums, {.ctx = ctx}); });
}

TEST_F(AllocationFailureInContract, OfThreeInputs) {
    dist_tensor<double> f(ranks(), {12, 5});
    const std::vector<dist_input<double>> inputs{c, b, e};
    const auto contracts = [&](const context *ctx) {
        contract<double>("mp=mk*kn*np", std::span(inputs), f, {.ctx = ctx});
    };
    const auto nothing = [] {};
    fail_each_in(contracts, nothing, nothing, ""); // new tensors are steps of the call
}

TEST_F(AllocationFailure, InCheckpoints) {
    const shared_folder folder;
    const std::string file = folder.path() + "/a-name-that-is-not-short";
    std::vector<tensor_to_save> saved;
    std::vector<tensor_to_load> loaded;
    saved.emplace_back("amplitudes of doubles", a);
    dist_tensor<double> b(ranks(), shape);
    loaded.emplace_back("amplitudes of doubles", b);
    fail_each({"save", [&] { return trial{[&] { save(ranks(), file, saved); }}; }});
    fail_each({"load", [&] {
                   return trial{[&] { load(ranks(), file, loaded); },
                                [&] { expect_values(b.gather_all()); }};
               }});
    fail_each({"stored_tensors", [&] {
                   return trial{[&] { EXPECT_EQ(stored_tensors(ranks(), file).size(), 1U); }};
               }});
}

TEST_F(AllocationFailure, InNumpyFiles) {
    const shared_folder folder;
    const std::string file = folder.path() + "/a-name-that-is-not-short.npy";
    dist_tensor<double> b(ranks(), shape);
    fail_each({"save_npy", [&] { return trial{[&] { save_npy(file, a); }}; }});
    fail_each({"load_npy", [&] {
                   return trial{[&] { load_npy(file, b); }, [&] { expect_values(b.gather_all()); }};
               }});
    fail_each({"stored_npy", [&] {
                   return trial{[&] { EXPECT_EQ(stored_npy(ranks(), file).extents, shape); }};
               }});
}

TEST_F(AllocationFailure, InTraces) {
    const shared_folder folder;
    const std::string file = folder.path() + "/a-name-that-is-not-short.json";
    fail_each({"trace", [&] { return trial{[] { const dist_trace made(ranks()); }}; }});
    // Every try records a trace of its own, because a trace grows with every call.
    fail_each({"norm", [&] {
                   auto trace = std::make_shared<dist_trace>(ranks());
                   return trial{[&, trace] { EXPECT_GT(a.norm(), 0); }};
               }});
    fail_each({"write trace", [&] {
                   auto trace = std::make_shared<dist_trace>(ranks());
                   a.norm();
                   return trial{[&, trace] { trace->write(file); }};
               }});
}

} // namespace
} // namespace tenfold::testing
