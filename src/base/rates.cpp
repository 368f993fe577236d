#include "base/rates.hpp"

#include <algorithm>

namespace tenfold::base {
namespace {

double shared(double one, double all, int threads) noexcept {
    return std::min(one * threads, std::max(one, all));
}

/// Threads beyond these add no memory bandwidth on common server sockets.
constexpr double threads_that_saturate_memory = 8;

/// Bandwidths of one thread.
machine_rates typical(double fma_flops_f64, double memory_bandwidth,
                      double cache_bandwidth) noexcept {
    const double all = threads_that_saturate_memory * memory_bandwidth;
    return {.fma_flops_f64 = fma_flops_f64,
            .fma_flops_f32 = 2 * fma_flops_f64,
            .memory_bandwidth = memory_bandwidth,
            .memory_bandwidth_all = all,
            .read_bandwidth = memory_bandwidth,
            .read_bandwidth_all = all,
            .update_bandwidth = memory_bandwidth,
            .update_bandwidth_all = all,
            .cache_bandwidth = cache_bandwidth,
            .l3_bandwidth = (memory_bandwidth + cache_bandwidth) / 2,
            .transpose_kept = 0.85,
            .transpose_moved = 0.65,
            .call = 100e-9,
            .fork = 3e-6,
            .fork_per_thread = 50e-9,
            .strided_line = 3.3e-9};
}

constexpr double least_bytes = 1e7;
constexpr double most_bytes = 1e14;

} // namespace

machine_rates machine_rates::typical_of(isa instruction_set) noexcept {
    // lanes of f64 x 2 units x 2 flops x 3 GHz; without FMA half of it
    switch (instruction_set) {
    case isa::avx512:
        return typical(96e9, 20e9, 60e9);
    case isa::avx2:
        return typical(48e9, 16e9, 50e9);
    case isa::neon:
    case isa::sve:
        return typical(24e9, 14e9, 40e9);
    case isa::generic:
        break;
    }
    return typical(10e9, 12e9, 30e9);
}

double machine_rates::fma_flops(data_type type) const noexcept {
    return type == data_type::f64 || type == data_type::c64 ? fma_flops_f64 : fma_flops_f32;
}

double machine_rates::memory(int threads) const noexcept {
    return shared(memory_bandwidth, memory_bandwidth_all, threads);
}

double machine_rates::reading(int threads) const noexcept {
    return shared(read_bandwidth, read_bandwidth_all, threads);
}

double machine_rates::updating(int threads) const noexcept {
    return shared(update_bandwidth, update_bandwidth_all, threads);
}

double machine_rates::fork_join(int threads) const noexcept {
    return threads <= 1 ? 0 : fork + (threads - 2) * fork_per_thread;
}

std::span<const rate> all_rates() noexcept {
    using enum rate::unit;
    using r = machine_rates;
    static constexpr rate list[] = {
        {"fma_flops_f64", &r::fma_flops_f64, flops, 1e8, 1e13, "multiply-adds of f64, per core"},
        {"fma_flops_f32", &r::fma_flops_f32, flops, 1e8, 1e13, "multiply-adds of f32, per core"},
        {"memory_bandwidth", &r::memory_bandwidth, bytes, least_bytes, most_bytes,
         "copy in memory, one thread"},
        {"memory_bandwidth_all", &r::memory_bandwidth_all, bytes, least_bytes, most_bytes,
         "copy in memory, all threads"},
        {"read_bandwidth", &r::read_bandwidth, bytes, least_bytes, most_bytes,
         "read memory, one thread"},
        {"read_bandwidth_all", &r::read_bandwidth_all, bytes, least_bytes, most_bytes,
         "read memory, all threads"},
        {"update_bandwidth", &r::update_bandwidth, bytes, least_bytes, most_bytes,
         "y = a x + y in memory, one thread"},
        {"update_bandwidth_all", &r::update_bandwidth_all, bytes, least_bytes, most_bytes,
         "y = a x + y in memory, all threads"},
        {"cache_bandwidth", &r::cache_bandwidth, bytes, least_bytes, most_bytes,
         "pack panels in L2, per core"},
        {"l3_bandwidth", &r::l3_bandwidth, bytes, least_bytes, most_bytes, "pack panels from L3, per core"},
        {"transpose_kept", &r::transpose_kept, fraction, 0.01, 2,
         "transpose, stride 1 kept, of a copy"},
        {"transpose_moved", &r::transpose_moved, fraction, 0.01, 2,
         "transpose, stride 1 moved, of a copy"},
        {"call", &r::call, seconds, 1e-10, 1e-3, "call of a kernel"},
        {"fork", &r::fork, seconds, 1e-9, 0.1, "start and join two threads"},
        {"fork_per_thread", &r::fork_per_thread, seconds, 0, 0.01, "each thread more"},
        {"strided_line", &r::strided_line, seconds, 1e-11, 1e-5,
         "one element of a line, pages apart"},
    };
    return list;
}

} // namespace tenfold::base
