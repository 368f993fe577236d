// Measures the machine's ceilings, with which every result is compared (docs/benchmarking.md).
#pragma once

#include <tenfold/context.hpp>
#include <tenfold/types.hpp>

namespace tenfold::apps_impl {

/// Returns the GFLOP/s of multiply-adds that stay in registers, in the real type of `type`, on
/// `threads` threads at once, with the instructions of `set`. Measures for about `seconds`.
double fma_peak_gflops(data_type type, isa set, int threads, double seconds);

/// The same for dot products in registers: of pairs of bf16 numbers, or of four 8-bit integers.
/// Returns 0 if this build has no such instruction; the machine must have it.
enum class dot_product : std::uint8_t { bf16, i8 };
double dot_peak_gflops(dot_product kind, int threads, double seconds);
/// That of products of 8-bit integers in the context; 0 where kernels have no such instruction.
double integer_peak_gflops(const context &ctx, int threads, double seconds);

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

/// Returns the GB/s of a stream over two arrays of `size` bytes each (between 4 KiB and 64 MiB),
/// the best of a few tries: a ceiling for one-off results.
double quick_stream_gbps(stream kind, data_type type, isa set, int threads, byte_count size);

/// Evicts everything else from the caches: reads and writes a buffer larger than the last-level
/// cache.
class cache_flusher {
public:
    explicit cache_flusher(int threads);
    ~cache_flusher();
    cache_flusher(const cache_flusher &) = delete;
    cache_flusher &operator=(const cache_flusher &) = delete;
    void flush() noexcept;

private:
    void *memory_;
    byte_count size_;
    int threads_;
};

} // namespace tenfold::apps_impl
