// What a transposition takes: plans of transpositions and of contractions ask here.
#pragma once

#include <cstdint>

#include <tenfold/types.hpp>

#include "base/traffic.hpp"

namespace tenfold::transpose_impl {

/// How a transposition treats neighbours in memory.
struct neighbours {
    bool stay = true; ///< the stride-1 mode remains the stride-1 mode
    /// Elements per contiguous run that remains contiguous. If the stride-1 mode changes, the
    /// extent of the shorter of the old and the new stride-1 mode.
    index_t run = INT64_MAX;
    index_t step = 1; ///< smallest stride in the tensor that is not dense
    /// Where it ends in memory: the elements of each run that is written where the stride-1 mode
    /// changes; 0 if it stays, and where the output is read from a cache next.
    index_t written = 0;
};

/// Bytes of an element before and after a move.
struct element_sizes {
    index_t read, written;
};

/// Prices of moves, in seconds. Takes the rates and caches of `moves`, which must outlive it.
class move_prices {
public:
    explicit move_prices(const base::traffic &moves) noexcept : moves_(moves) {}

    /// One transposition of `elements` elements. `in_use`: the bytes that are in use between two
    /// uses of what is moved, if these are more.
    double seconds(double elements, const element_sizes &sizes, const neighbours &near,
                   int most_threads, double in_use = 0) const noexcept;

    // The parts of this price, for moves that are part of a larger one.
    /// Beside those of the elements.
    double start() const noexcept;
    /// What a copy in runs takes beside the bytes that it reads and writes.
    double of_runs(double bytes, const neighbours &near, index_t size, int threads) const noexcept;
    /// Speed of a transposition of elements that take `size` bytes after it, of a copy's.
    double efficiency(const neighbours &near, index_t size) const noexcept;
    /// A lower bound for moves of so many elements of `size` bytes, in whatever order.
    double least(double elements, index_t size, int threads) const noexcept;

private:
    const base::traffic &moves_;
};

} // namespace tenfold::transpose_impl
