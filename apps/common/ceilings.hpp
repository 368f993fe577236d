// Measures the machine's ceilings, with which every result is compared (docs/benchmarking.md).
#pragma once

#include <tenfold/context.hpp>
#include <tenfold/types.hpp>

#include "contract/calibrate/ceilings.hpp"

namespace tenfold::apps_impl {

using calibrate_impl::dot_peak_gflops;
using calibrate_impl::dot_product;
using calibrate_impl::fma_peak_gflops;
using calibrate_impl::stream;
using calibrate_impl::stream_pass;
using calibrate_impl::stream_seconds;
using calibrate_impl::stream_traffic;

/// The ceiling of products of 8-bit integers in the context; 0 where kernels have no such
/// instruction.
double integer_peak_gflops(const context &ctx, int threads, double seconds);

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
