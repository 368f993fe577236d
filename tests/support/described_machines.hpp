// Fictitious machines on which tests pin plans: the same on every processor.
#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include "base/described_machine.hpp"

namespace tenfold::testing {

/// Wide registers, large caches, fast memory: similar to a core of a server.
inline base::described_machine wide_machine() {
    base::described_machine made;
    made.machine.cpu = "made up, wide";
    made.machine.isas = {isa::avx512, isa::generic};
    made.machine.l1d = {index_t{48} << 10, 12, 64, 1};
    made.machine.l2 = {index_t{1} << 20, 16, 64, 1};
    made.machine.l3 = {index_t{32} << 20, 16, 64, 8};
    made.machine.cores = 8;
    made.machine.tlb_pages = 2048;
    made.rates = {.fma_flops_f64 = 100e9,
                  .fma_flops_f32 = 200e9,
                  .kernel_efficiency = 0.92,
                  .memory_bandwidth = 36e9,
                  .memory_bandwidth_all = 100e9,
                  .read_bandwidth = 28e9,
                  .read_bandwidth_all = 90e9,
                  .update_bandwidth = 33e9,
                  .update_bandwidth_all = 95e9,
                  .cache_bandwidth = 90e9,
                  .l3_bandwidth = 60e9,
                  .transpose_kept = 0.85,
                  .transpose_moved = 0.7,
                  .call = 100e-9,
                  .fork = 3e-6,
                  .fork_per_thread = 50e-9,
                  .strided_line = 6e-9,
                  .dot_flops_bf16 = 400e9,
                  .message_bandwidth = 3e9,
                  .message_bandwidth_one = 9e9,
                  .message = 1e-6};
    return made;
}

/// Kernels that every build has, small caches, slow memory.
inline base::described_machine modest_machine() {
    base::described_machine made;
    made.machine.cpu = "made up, modest";
    made.machine.isas = {isa::generic};
    made.machine.l1d = {index_t{32} << 10, 8, 64, 1};
    made.machine.l2 = {index_t{256} << 10, 8, 64, 1};
    made.machine.l3 = {index_t{8} << 20, 16, 64, 4};
    made.machine.cores = 4;
    made.machine.tlb_pages = 1536;
    made.rates = {.fma_flops_f64 = 10e9,
                  .fma_flops_f32 = 20e9,
                  .kernel_efficiency = 0.92,
                  .memory_bandwidth = 12e9,
                  .memory_bandwidth_all = 30e9,
                  .read_bandwidth = 11e9,
                  .read_bandwidth_all = 28e9,
                  .update_bandwidth = 10e9,
                  .update_bandwidth_all = 26e9,
                  .cache_bandwidth = 32e9,
                  .l3_bandwidth = 20e9,
                  .transpose_kept = 0.8,
                  .transpose_moved = 0.5,
                  .call = 120e-9,
                  .fork = 4e-6,
                  .fork_per_thread = 60e-9,
                  .strided_line = 9e-9,
                  .dot_flops_bf16 = 0,
                  .message_bandwidth = 1.5e9,
                  .message_bandwidth_one = 3e9,
                  .message = 2e-6};
    return made;
}

/// Caches so small, memory so slow and forks so cheap that even small problems are cut into blocks
/// and shared among threads.
inline base::described_machine narrow_machine(isa only) {
    base::described_machine made = modest_machine();
    made.machine.cpu = "made up, narrow";
    made.machine.isas = {only, isa::generic};
    made.machine.l1d = {index_t{8} << 10, 8, 64, 1};
    made.machine.l2 = {index_t{32} << 10, 8, 64, 1};
    made.machine.l3 = {index_t{256} << 10, 16, 64, 4};
    made.rates.fork = 50e-9;
    made.rates.fork_per_thread = 5e-9;
    return made;
}

/// Returns a context of the machine of that name, the same one at every call.
inline const context &described_context(const std::string &name) {
    static std::map<std::string, std::unique_ptr<context>> made;
    auto &found = made[name];
    if (found == nullptr) {
        if (name != "wide" && name != "modest")
            throw std::invalid_argument("there is no machine '" + name + "': wide or modest");
        const auto machine = name == "wide" ? wide_machine() : modest_machine();
        settings one_thread;
        one_thread.threads = 1;
        found = machine.make_context(one_thread);
    }
    return *found;
}

} // namespace tenfold::testing
