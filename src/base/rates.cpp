#include "base/rates.hpp"

#include <algorithm>
#include <cmath>

namespace tenfold::base {
namespace {

double shared(double one, double all, int threads) noexcept {
    return std::min(one * threads, std::max(one, all));
}

/// More threads than these add no memory bandwidth on common server sockets.
constexpr double threads_that_saturate_memory = 8;

/// The rates that depend on the ISA. Bandwidths are those of one thread.
struct core {
    double fma_flops_f64;
    double copy, read, update; ///< from memory
    double cache_bandwidth;
    double transpose_moved;
    double strided_line;
    double threads_of_memory; ///< threads that saturate the memory bandwidth
    double dot_products = 0;  ///< flops of dot products of bf16, relative to those of f32
};

/// Passes over memory that a message between ranks of a node takes: it is copied into memory that
/// both share and out of it again, and each copy reads and writes.
constexpr double passes_of_message = 4;

machine_rates typical(const core &one, int cores) noexcept {
    const double message_alone = one.copy / passes_of_message;
    return {.fma_flops_f64 = one.fma_flops_f64,
            .fma_flops_f32 = 2 * one.fma_flops_f64,
            .kernel_efficiency = 0.92,
            .memory_bandwidth = one.copy,
            .memory_bandwidth_all = one.threads_of_memory * one.copy,
            .read_bandwidth = one.read,
            .read_bandwidth_all = one.threads_of_memory * one.read,
            .update_bandwidth = one.update,
            .update_bandwidth_all = one.threads_of_memory * one.update,
            .cache_bandwidth = one.cache_bandwidth,
            .l3_bandwidth = (one.copy + one.cache_bandwidth) / 2,
            .transpose_kept = 0.98,
            .transpose_moved = one.transpose_moved,
            .call = 15e-9,
            .fork = 3e-6,
            .fork_per_thread = 50e-9,
            .strided_line = one.strided_line,
            .dot_flops_bf16 = one.dot_products * 2 * one.fma_flops_f64,
            .message_bandwidth = message_alone * std::min(1.0, one.threads_of_memory / cores),
            .message_bandwidth_one = message_alone,
            .message = 1e-6};
}

/// Memory bandwidth grows more slowly than the number of cores: on a machine of few cores one core
/// uses most of it, on one of dozens an eighth.
double threads_of_memory(int cores) noexcept {
    return std::clamp(std::sqrt(static_cast<double>(cores)), 1.25, threads_that_saturate_memory);
}

// Emulated processors compute 4e7 flops a second.
constexpr double slowest_flops = 1e6;
constexpr double fastest_flops = 1e13;
constexpr double slowest_bytes = 1e6;
constexpr double fastest_bytes = 1e14;

} // namespace

machine_rates machine_rates::typical_of(isa instruction_set, int cores) noexcept {
    constexpr double all = threads_that_saturate_memory;
    // Flops are lanes of f64 x 2 units x 2 flops x 3 GHz (AVX-512: 3.4, AVX2: 3.5), and half of
    // that without FMA. The memory rates of AVX-512 lie between those of an Intel server (copies of
    // 22 GB/s) and of a Zen 5 (47).
    switch (instruction_set) {
    case isa::avx512:
        // Zen 4 and Zen 5 compute dot products of bf16 at twice the rate of f32 (docs/adr/0008),
        // an Intel server (family 6, model 207) at half of it: the probe measures that.
        return typical({108e9, 36e9, 25e9, 32e9, 95e9, 0.85, 8.6e-9, threads_of_memory(cores), 2},
                       cores);
    case isa::avx2:
        return typical({56e9, 26e9, 16e9, 25e9, 55e9, 0.6, 10e-9, threads_of_memory(cores)}, cores);
    case isa::neon:
    case isa::sve:
        return typical({24e9, 14e9, 14e9, 14e9, 40e9, 0.65, 3.3e-9, all}, cores);
    case isa::generic:
        break;
    }
    return typical({10e9, 12e9, 12e9, 12e9, 30e9, 0.65, 3.3e-9, all}, cores);
}

double machine_rates::fma_flops(data_type type) const noexcept {
    return size_of(real_type_of(type)) > size_of(data_type::f32) ? fma_flops_f64 : fma_flops_f32;
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

double machine_rates::overwriting(int threads) const noexcept {
    // What one thread can do is limited by the lines that it waits for, and those that it writes
    // are not waited for: y = a x + y fetches two of the three that it moves, overwriting one of
    // two.
    constexpr double fetched_by_update = 2.0 / 3;
    constexpr double fetched = 1.0 / 2;
    return shared(update_bandwidth * fetched_by_update / fetched, update_bandwidth_all, threads);
}

double machine_rates::receiving(int threads) const noexcept {
    return shared(message_bandwidth, message_bandwidth_one, threads);
}

double machine_rates::fork_join(int threads) const noexcept {
    return threads <= 1 ? 0 : fork + (threads - 2) * fork_per_thread;
}

std::span<const rate> all_rates() noexcept {
    using enum rate::unit;
    using r = machine_rates;
    constexpr bool probed = true;
    static constexpr rate list[] = {
        {"fma_flops_f64", &r::fma_flops_f64, flops, slowest_flops, fastest_flops,
         "multiply-adds of f64, per core", probed},
        {"fma_flops_f32", &r::fma_flops_f32, flops, slowest_flops, fastest_flops,
         "multiply-adds of f32, per core", probed},
        {"kernel_efficiency", &r::kernel_efficiency, fraction, 0.05, 1.5,
         "micro-kernel in caches, of that", probed},
        {"fmas_per_cycle", &r::fmas_per_cycle, fraction, 0.5, 4,
         "multiply-adds of registers per cycle", probed},
        {"memory_bandwidth", &r::memory_bandwidth, bytes, slowest_bytes, fastest_bytes,
         "copy in memory, one thread"},
        {"memory_bandwidth_all", &r::memory_bandwidth_all, bytes, slowest_bytes, fastest_bytes,
         "copy in memory, all threads"},
        {"read_bandwidth", &r::read_bandwidth, bytes, slowest_bytes, fastest_bytes,
         "read memory, one thread"},
        {"read_bandwidth_all", &r::read_bandwidth_all, bytes, slowest_bytes, fastest_bytes,
         "read memory, all threads"},
        {"update_bandwidth", &r::update_bandwidth, bytes, slowest_bytes, fastest_bytes,
         "y = a x + y in memory, one thread"},
        {"update_bandwidth_all", &r::update_bandwidth_all, bytes, slowest_bytes, fastest_bytes,
         "y = a x + y in memory, all threads"},
        {"cache_bandwidth", &r::cache_bandwidth, bytes, slowest_bytes, fastest_bytes,
         "pack panels in L2, per core", probed},
        {"l3_bandwidth", &r::l3_bandwidth, bytes, slowest_bytes, fastest_bytes,
         "read L3 while packing, per core", probed},
        {"transpose_kept", &r::transpose_kept, fraction, 0.01, 2,
         "transpose, stride 1 kept, of a copy"},
        {"transpose_moved", &r::transpose_moved, fraction, 0.01, 2,
         "transpose, stride 1 moved, of a copy"},
        {"call", &r::call, seconds, 1e-10, 1e-3, "call of a kernel", probed},
        {"fork", &r::fork, seconds, 1e-9, 0.1, "start and join two threads"},
        {"fork_per_thread", &r::fork_per_thread, seconds, 0, 0.01, "each thread more"},
        {"strided_line", &r::strided_line, seconds, 1e-11, 1e-5,
         "one element of a line, pages apart"},
        {"dot_flops_bf16", &r::dot_flops_bf16, flops, 0, 1e14, "dot products of bf16, per core",
         probed},
        {"message_bandwidth", &r::message_bandwidth, bytes, slowest_bytes, fastest_bytes,
         "messages received, per core"},
        {"message_bandwidth_one", &r::message_bandwidth_one, bytes, slowest_bytes, fastest_bytes,
         "messages received, one rank"},
        {"message", &r::message, seconds, 1e-9, 0.1, "a message, beside its bytes"},
    };
    return list;
}

} // namespace tenfold::base
