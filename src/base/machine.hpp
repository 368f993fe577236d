// Properties of the processor: instruction sets, caches, cores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sched.h>

#include <tenfold/context.hpp>
#include <tenfold/types.hpp>

namespace tenfold::base {

/// Length in bytes of the SVE registers for the calling thread; 0 if there are none.
int sve_bytes() noexcept;

/// Whether a processor with this ISA has registers of `bytes`. SVE's length depends on the
/// processor; every other ISA has one length.
bool has_registers_of(isa set, int bytes) noexcept;

/// The processors that threads of this process may run on; empty if that is unknown. Where OpenMP
/// binds threads (OMP_PROC_BIND, OMP_PLACES) these are all of its places: the calling thread's own
/// mask then holds only the place that it is bound to.
cpu_set_t usable_processors();

struct cache {
    index_t size = 0;  ///< bytes; 0 if there is none
    index_t ways = 8;  ///< associativity
    index_t line = 64; ///< bytes
    int shared_by = 1; ///< hardware threads that share it
};

struct machine {
    std::string cpu;       ///< model name as the system states it
    std::string vendor;    ///< "AuthenticAMD", "GenuineIntel"; empty without cpuid
    std::vector<isa> isas; ///< all that this processor supports, best first; the last is generic
    cache l1d, l2, l3;
    index_t page = 4096; ///< bytes
    /// Instructions for short dot products, which the AVX-512 kernels use if available.
    bool avx512_bf16 = false;
    bool avx512_vnni = false;
    /// Block sizes set by the user (settings::blocking) instead of derived from the caches.
    block_sizes blocking;
    int cores = 1; ///< usable_processors() within the cgroup's quota
    /// Pages in the second-level data TLB; a typical value if the processor does not report it.
    index_t tlb_pages = 4096;

    bool supports(isa value) const noexcept;
    isa best_isa() const noexcept { return isas.front(); }

    /// The name of the processor in calibration and wisdom files. It includes the cache sizes,
    /// because processors of one model name may differ in them, above all in virtual machines.
    std::string identity() const;

    /// Reads cpuid (through the compiler's run-time checks, so that an unknown model gets the best
    /// ISA of its feature flags), /sys/devices/system/cpu, /sys/fs/cgroup and usable_processors().
    /// Values that cannot be read keep a typical value.
    static machine detect();
};

/// Decodes the number of 4 KiB pages in the second-level data TLB from the 12 bits of AMD's cpuid
/// leaf 0x80000006; 0 if it is not reported. Zen 5 counts in units of 32 and says so in bit 14 of
/// leaf 0x80000021, but hypervisors hide that bit. So the unit is inferred: a smaller number than
/// `least` is impossible for AMD processors with AVX2.
constexpr index_t amd_tlb_pages(std::uint32_t stated) noexcept {
    constexpr std::uint32_t least = 512;
    return stated < least ? index_t{stated} * 32 : index_t{stated};
}

/// Returns the bytes of a last-level cache that programs here can count on, of what the system
/// states. A virtual machine may state the whole cache of its host's processor beside a few
/// hardware threads, and programs on the others fill it, too: of 300 MiB beside two threads, 64
/// answered. Processors have up to 32 MiB for a thread (AMD EPYC 9175F).
constexpr index_t usable_l3(index_t stated, int shared_by) noexcept {
    constexpr index_t most_for_a_thread = index_t{32} << 20;
    const index_t most = most_for_a_thread * shared_by;
    return stated < most ? stated : most;
}

} // namespace tenfold::base
