// The machine's ceilings: multiply-adds that stay in registers, and streams through memory. Rates
// are measured by them, and programs compare results with them.
#pragma once

#include <cstdint>

#include <tenfold/types.hpp>

namespace tenfold::calibrate_impl {

/// Returns the GFLOP/s of multiply-adds that stay in registers, in the real type of `type`, on
/// `threads` threads at once, with the instructions of `set`. Measures for about `seconds`.
double fma_peak_gflops(data_type type, isa set, int threads, double seconds);

/// The same for dot products in registers: of pairs of bf16 numbers, or of four 8-bit integers.
/// Returns 0 if this build has no such instruction; the machine must have it.
enum class dot_product : std::uint8_t { bf16, i8 };
double dot_peak_gflops(dot_product kind, int threads, double seconds);

enum class stream : std::uint8_t {
    copy,       ///< non-temporal stores; 2 bytes of traffic per byte
    plain_copy, ///< the C library's memcpy; 2
    saxpy,      ///< y = a x + y with regular stores; 3
    read,       ///< of x only; 1
    write       ///< of y only, with non-temporal stores; 1
};

/// Bytes that one pass over arrays of `size` bytes reads and writes. Lines that caches read before
/// they are overwritten do not count.
double stream_traffic(stream kind, byte_count size) noexcept;

/// What passes over two arrays, and with which instructions.
struct stream_pass {
    stream kind;
    data_type type;
    tenfold::isa isa;
    int threads;
};

/// Returns the seconds of one pass over two arrays of `size` bytes each, aligned to 64 bytes.
/// Averages over `passes` passes within one team, for arrays so small that starting the team would
/// count.
double stream_seconds(const stream_pass &what, void *to, const void *from, byte_count size,
                      int passes = 1);

} // namespace tenfold::calibrate_impl
