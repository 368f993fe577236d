// Compares the memory that executions use with what plans state, and what plans occupy with their
// footprint.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <vector>

#include <malloc.h>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "base/context_of.hpp"
#include "base/machine.hpp"
#include "contract/front/plan_state.hpp"
#include "support/described_machines.hpp"

namespace {

/// Bytes allocated by operator new; the library must not allocate while it executes.
std::atomic<std::size_t> allocated{0};
/// Bytes allocated by operator new and not released, with the allocator's own.
std::atomic<std::int64_t> held{0};
/// The number of allocations that succeed; then all fail until it is set again.
std::atomic<std::int64_t> allocations_left{INT64_MAX};

std::int64_t held_by(void *memory) noexcept {
    return static_cast<std::int64_t>(malloc_usable_size(memory) + sizeof(std::size_t));
}

} // namespace

[[gnu::noinline]] void *operator new(std::size_t size) {
    allocated += size;
    if (allocations_left.fetch_sub(1) <= 0)
        throw std::bad_alloc();
    if (void *memory = std::malloc(size > 0 ? size : 1)) {
        held += held_by(memory);
        return memory;
    }
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void *memory) noexcept {
    if (memory != nullptr)
        held -= held_by(memory);
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void *memory, std::size_t) noexcept {
    operator delete(memory);
}

namespace tenfold {
namespace {

constexpr std::size_t line = 64;

/// Memory that shows how far it was written.
class marked_memory {
public:
    explicit marked_memory(std::size_t size)
        : size_((size + line - 1) / line * line),
          memory_(static_cast<std::byte *>(std::aligned_alloc(line, size_))) {}
    ~marked_memory() { std::free(memory_); }
    marked_memory(const marked_memory &) = delete;
    marked_memory &operator=(const marked_memory &) = delete;

    void mark(std::byte with) { std::memset(memory_, static_cast<int>(with), size_); }
    std::span<std::byte> all() noexcept { return {memory_, size_}; }

    /// Returns the end of the bytes that changed since the memory was marked.
    std::size_t end_of_use(std::byte marked_with) const {
        std::size_t end = size_;
        while (end > 0 && memory_[end - 1] == marked_with)
            --end;
        return end;
    }

private:
    std::size_t size_;
    std::byte *memory_;
};

struct use_case {
    const char *expression;
    std::map<char, index_t> extents;

    extents_t shape(std::string_view labels) const {
        extents_t result;
        for (const char label : labels)
            result.push_back(extents.at(label));
        return result;
    }
};

const std::vector<use_case> &use_cases() {
    static const std::vector<use_case> all{
        {"abcd=aebf*dfce", {{'a', 24}, {'b', 20}, {'c', 21}, {'d', 24}, {'e', 18}, {'f', 23}}},
        {"abc=bda*dc", {{'a', 100}, {'b', 96}, {'c', 25}, {'d', 300}}},
        {"abcd=deca*be", {{'a', 40}, {'b', 24}, {'c', 33}, {'d', 40}, {'e', 40}}},
        {"ab=cad*dcb", {{'a', 131}, {'b', 120}, {'c', 60}, {'d', 70}}},
        {"abl=alk*klb", {{'a', 150}, {'b', 140}, {'k', 300}, {'l', 6}}},
        {"ab=ak*kb", {{'a', 300}, {'b', 310}, {'k', 700}}}};
    return all;
}

struct use {
    byte_count stated;
    std::size_t taken;     ///< of the workspace
    std::size_t beside_it; ///< allocated during execution
    std::string explanation;
};

use measure(const use_case &one, const contract_options &options) {
    const std::string text = one.expression;
    const std::size_t equals = text.find('='), times = text.find('*');
    tensor<double> a(one.shape(text.substr(equals + 1, times - equals - 1)));
    tensor<double> b(one.shape(text.substr(times + 1)));
    tensor<double> d(one.shape(text.substr(0, equals)));
    std::fill(a.data(), a.data() + a.shape().size(), 1.25);
    std::fill(b.data(), b.data() + b.shape().size(), 1.5);
    const contraction_plan plan = make_plan(text, a, b, d, options);
    marked_memory memory(static_cast<std::size_t>(plan.workspace_size().value) * 2 + 4096);
    use found{plan.workspace_size(), 0, 0, plan.explain()};
    for (const std::byte mark : {std::byte{0xa5}, std::byte{0x5a}}) { // results may hold one
        memory.mark(mark);
        const std::size_t before = allocated;
        EXPECT_TRUE(plan.execute(1.0, a.data(), b.data(), 0.0, nullptr, d.data(), memory.all()));
        found.beside_it += allocated - before;
        found.taken = std::max(found.taken, memory.end_of_use(mark));
    }
    return found;
}

/// On a fictitious machine, because the blocks of matrices depend on the caches, and with them the
/// difference between used and stated workspace.
TEST(WorkspaceUse, IsWhatPlansState) {
    const context &ctx = testing::described_context("modest");
    const index_t l2 = base::machine_of(ctx).l2.size;
    std::map<algorithm, int> measured;
    for (const use_case &one : use_cases())
        for (const algorithm which : {algorithm::direct, algorithm::gemm_loop, algorithm::ttgt,
                                      algorithm::fused, algorithm::loops})
            for (const int threads : {1, 2})
                for (const index_t limit : {INT64_MAX >> 10, index_t{1000}, index_t{150}}) {
                    const contract_options options{.algorithm = which,
                                                   .workspace_limit = kib(limit),
                                                   .threads = threads,
                                                   .ctx = &ctx};
                    use found;
                    try {
                        found = measure(one, options);
                    } catch (const error &refused) {
                        EXPECT_TRUE(refused.code() == errc::unsupported ||
                                    refused.code() == errc::workspace_too_small)
                            << refused.what();
                        continue;
                    }
                    SCOPED_TRACE(found.explanation);
                    const auto stated = static_cast<std::size_t>(found.stated.value);
                    EXPECT_LE(found.taken, stated);
                    EXPECT_GE(found.taken + stated / 20 + line, stated)
                        << "more is stated than is taken";
                    EXPECT_EQ(found.beside_it, 0U) << "allocated while it executed";
                    measured[which] += stated > 0;
                    if (which == algorithm::fused) {
                        // With a small L2, the packed blocks are a large part of the workspace.
                        EXPECT_LE(found.stated.value, threads * (l2 + l2 / 2))
                            << "tiles stay in cache";
                    }
                }
    for (const algorithm which :
         {algorithm::direct, algorithm::gemm_loop, algorithm::ttgt, algorithm::fused})
        EXPECT_GT(measured[which], 1) << name(which) << " never took workspace";
}

/// Calls until it succeeds, with one more successful allocation each time. Every failure must be a
/// documented exception and leave `d` unchanged. Returns the number of failures.
template <class Call> int failures_of(const tensor<double> &d, const Call &call) {
    const auto element_of = [&](index_t i) { return d.data()[i]; };
    int failed = 0;
    for (std::int64_t enough = 0;; enough += 1 + enough / 32) {
        std::string what;
        allocations_left = enough;
        try {
            call();
            allocations_left = INT64_MAX;
            return failed;
        } catch (const std::bad_alloc &) {
            allocations_left = INT64_MAX;
        } catch (const error &e) {
            allocations_left = INT64_MAX;
            EXPECT_EQ(name(e.code()), name(errc::out_of_memory)) << e.what();
        }
        ++failed;
        for (index_t i = 0; i < d.size(); ++i)
            EXPECT_EQ(element_of(i), -1) << "after " << enough << " allocations";
        if (::testing::Test::HasFailure())
            return failed;
    }
}

TEST(WorkspaceUse, PlanningWithoutMemory) {
    tensor<double> a({12, 9, 10, 11}), b({8, 11, 7, 9}), e({7, 5}), d({12, 10, 7, 8});
    tensor<double> five({12, 10, 5, 8}), turned({11, 12, 9, 10});
    for (tensor<double> *one : {&a, &b, &e})
        std::fill_n(one->data(), one->size(), 1.0);
    settings wanted;
    wanted.threads = 2;
    const auto run = [&](tensor<double> &out, double expected, const auto &call) {
        std::fill_n(out.data(), out.size(), -1.0);
        EXPECT_GT(failures_of(out, call), 10);
        EXPECT_EQ(*out.data(), expected);
    };
    for (const algorithm which : {algorithm::automatic, algorithm::gemm_loop, algorithm::ttgt,
                                  algorithm::fused, algorithm::loops, algorithm::reference}) {
        SCOPED_TRACE(std::string(name(which)));
        const context ctx(wanted); // with a cache of plans of its own
        const contract_options options{.algorithm = which, .ctx = &ctx};
        run(d, 99, [&] { contract("abcd=aebf*dfce", a, b, d, options); });
    }
    const context ctx(wanted);
    run(five, 693, [&] { contract("abgd=aebf*dfce*cg", a, b, e, five, {.ctx = &ctx}); });
    run(turned, 1, [&] { transpose("faeb=aebf", a, turned, {.ctx = &ctx}); });
}

/// Plans are kept in a cache that is bounded by their footprints.
TEST(Footprint, IsTheMemoryOfAPlan) {
    const context ctx{settings{}};
    const auto expect_footprint = [](const auto &make) {
        static_cast<void>(make()); // what is made once for all plans
        const std::int64_t before = held;
        const contraction_plan plan = make();
        const auto taken = static_cast<double>(held - before);
        const auto stated = static_cast<double>(contract_impl::footprint(plan));
        EXPECT_GE(stated, 0.85 * taken) << plan.explain();
        EXPECT_LE(stated, 1.15 * taken) << plan.explain();
    };
    for (const use_case &one : use_cases()) {
        const std::string text = one.expression;
        const std::size_t equals = text.find('='), times = text.find('*');
        const auto operand = [&](std::size_t begin, std::size_t end) {
            return tensor_view<double>(nullptr, layout(one.shape(text.substr(begin, end - begin))));
        };
        for (const algorithm which : {algorithm::automatic, algorithm::gemm_loop, algorithm::ttgt,
                                      algorithm::fused, algorithm::loops, algorithm::reference}) {
            const contract_options options{.algorithm = which,
                                           .workspace_limit =
                                               which == algorithm::ttgt ? kib(1000) : mib(1000),
                                           .ctx = &ctx};
            try {
                expect_footprint([&] {
                    return make_plan(text, operand(equals + 1, times),
                                     operand(times + 1, text.size()), operand(0, equals), options);
                });
            } catch (const error &refused) {
                EXPECT_EQ(name(refused.code()), name(errc::unsupported)) << refused.what();
            }
        }
    }
    const tensor_view<double> turned(nullptr, layout({4, 3, 2}));
    const tensor_view<double> given(nullptr, layout({2, 3, 4}));
    expect_footprint([&] { return make_plan("cba=abc", given, turned, {.ctx = &ctx}); });
    const tensor_view<double> square(nullptr, layout({30, 30}));
    const std::array<input, 4> chain{square, square, square, square};
    expect_footprint([&] { return make_plan("ae=ab*bc*cd*de", chain, square, {.ctx = &ctx}); });
}

} // namespace
} // namespace tenfold
