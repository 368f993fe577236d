// Tests that the detected machine is plausible.
#include <algorithm>
#include <bit>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/machine.hpp"

namespace tenfold::base {
namespace {

TEST(Machine, instruction_sets) {
    const machine found = machine::detect();
    ASSERT_FALSE(found.isas.empty());
    EXPECT_EQ(found.isas.back(), isa::generic);
    EXPECT_EQ(found.best_isa(), found.isas.front());
    EXPECT_EQ(std::set<isa>(found.isas.begin(), found.isas.end()).size(), found.isas.size());
    for (const isa one : all_isas)
        EXPECT_EQ(found.supports(one),
                  std::find(found.isas.begin(), found.isas.end(), one) != found.isas.end());
    EXPECT_FALSE(found.supports(isa::avx2) && found.supports(isa::neon));
    EXPECT_TRUE(!found.supports(isa::avx512) || found.supports(isa::avx2));
    EXPECT_TRUE(!found.supports(isa::sve) || found.supports(isa::neon));
    EXPECT_EQ(found.supports(isa::sve), sve_bytes() == 32 || sve_bytes() == 64);
}

TEST(Machine, PagesOfTheTranslationBuffer) {
    EXPECT_EQ(amd_tlb_pages(0), 0);
    EXPECT_EQ(amd_tlb_pages(128), 4096); // Zen 5, in units of 32
    EXPECT_EQ(amd_tlb_pages(1536), 1536);
    EXPECT_EQ(amd_tlb_pages(2048), 2048); // Zen 3
    EXPECT_GE(machine::detect().tlb_pages, 512);
}

#if defined(__x86_64__)
/// Compares with the kernel's own list of flags.
TEST(Machine, agrees_with_cpuinfo) {
    std::ifstream file("/proc/cpuinfo");
    std::string flags;
    for (std::string line; std::getline(file, line) && flags.empty();)
        if (line.starts_with("flags"))
            flags = line + " ";
    if (flags.empty())
        GTEST_SKIP() << "/proc/cpuinfo cannot be read";
    const auto has = [&](const char *flag) {
        return flags.find(std::string(" ").append(flag).append(" ")) != std::string::npos;
    };
    const machine found = machine::detect();
    EXPECT_EQ(found.supports(isa::avx2), has("avx2") && has("fma"));
    EXPECT_EQ(found.supports(isa::avx512), has("avx2") && has("fma") && has("avx512f") &&
                                               has("avx512vl") && has("avx512dq") &&
                                               has("avx512bw"));
}
#endif

TEST(Machine, caches_and_cores) {
    const machine found = machine::detect();
    EXPECT_FALSE(found.cpu.empty());
    EXPECT_GE(found.l1d.size, 4 << 10);
    EXPECT_LE(found.l1d.size, 1 << 20);
    EXPECT_GT(found.l2.size, found.l1d.size);
    for (const cache &level : {found.l1d, found.l2, found.l3}) {
        if (level.size == 0)
            continue; // no third level
        EXPECT_TRUE(std::has_single_bit(static_cast<std::uint64_t>(level.line))) << level.line;
        EXPECT_GE(level.ways, 1);
        EXPECT_GE(level.shared_by, 1);
        EXPECT_GE(level.size, level.ways * level.line);
    }
    EXPECT_EQ(found.page, sysconf(_SC_PAGESIZE));
    EXPECT_GE(found.cores, 1);
    EXPECT_LE(found.cores, sysconf(_SC_NPROCESSORS_CONF));
}

/// Runs a second time with OMP_PROC_BIND=true, by which OpenMP binds this thread to one processor
/// before main(). The process that started the test is not bound.
TEST(Machine, counts_processors_beyond_those_that_openmp_binds_this_thread_to) {
    cpu_set_t starter;
    if (sched_getaffinity(getppid(), sizeof starter, &starter) != 0)
        GTEST_SKIP() << "the process that started this one cannot be asked";
    const cpu_set_t usable = base::usable_processors();
    EXPECT_TRUE(CPU_EQUAL(&usable, &starter))
        << CPU_COUNT(&usable) << " of " << CPU_COUNT(&starter);
}

TEST(Machine, a_host_s_whole_cache_is_not_that_of_a_few_threads) {
    constexpr index_t mebi = 1 << 20;
    EXPECT_EQ(base::usable_l3(300 * mebi, 2), 64 * mebi); // Emerald Rapids, a virtual machine
    EXPECT_EQ(base::usable_l3(32 * mebi, 2), 32 * mebi);
    EXPECT_EQ(base::usable_l3(512 * mebi, 16), 512 * mebi); // all threads of an EPYC 9175F
    EXPECT_EQ(base::usable_l3(0, 1), 0);
}

} // namespace
} // namespace tenfold::base
