// What the processor is: instruction sets, caches, cores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tenfold/context.hpp>
#include <tenfold/types.hpp>

namespace tenfold::base {

/// Length of the processor's SVE registers as the calling thread has them; 0 if there are none.
int sve_bytes() noexcept;

/// Whether code for registers of `bytes` finds such on a processor with this instruction set: SVE's
/// length differs from one to the next, every other set has one.
bool has_registers_of(isa set, int bytes) noexcept;

struct cache {
    index_t size = 0;  ///< bytes; 0 if there is none
    index_t ways = 8;  ///< associativity
    index_t line = 64; ///< bytes
    int shared_by = 1; ///< hardware threads that share it
};

struct machine {
    std::string cpu;       ///< model name as the system states it
    std::string vendor;    ///< "AuthenticAMD", "GenuineIntel"; empty where there is no cpuid
    int family = 0;        ///< cpuid's, extended part included: 0x1a is Zen 5
    std::vector<isa> isas; ///< all that this processor runs, best first; ends in generic
    cache l1d, l2, l3;
    index_t page = 4096; ///< bytes
    /// Dot products of short vectors, which kernels of AVX-512 use where they are there.
    bool avx512_bf16 = false;
    bool avx512_vnni = false;
    /// What the user wants of it, rather than what its caches suggest: settings::blocking.
    block_sizes blocking;
    int cores = 1; ///< that this process may use (affinity and cgroup quota)
    /// Pages that the second-level translation buffer for data knows; where the processor does not
    /// tell, a typical value.
    index_t tlb_pages = 4096;

    bool supports(isa value) const noexcept;
    isa best_isa() const noexcept { return isas.front(); }

    /// What files of measurements know the processor by. Models go by one name whose caches differ,
    /// virtual machines' most of all.
    std::string identity() const;

    /// Reads cpuid (through the compiler's run-time checks, so an unknown model still gets the best
    /// its feature flags allow), /sys/devices/system/cpu, /sys/fs/cgroup and the affinity mask.
    /// What cannot be read keeps a typical value.
    static machine detect();
};

/// Pages from the 12 bits in which AMD's cpuid (leaf 0x80000006) states how many of 4 KiB the
/// second-level translation buffer for data knows; 0 where it does not say. Zen 5 counts in units
/// of 32, which it tells in bit 14 of leaf 0x80000021, but hypervisors hide that bit: the unit is
/// recognised by a number that is too small for any of AMD's processors with AVX2.
constexpr index_t amd_tlb_pages(std::uint32_t stated) noexcept {
    constexpr std::uint32_t least = 512;
    return stated < least ? index_t{stated} * 32 : index_t{stated};
}

} // namespace tenfold::base
