// How a reduced transposition is walked: method, tile, loop order, threads.
#pragma once

#include <string>
#include <vector>

#include "base/machine.hpp"
#include "transpose/modes.hpp"

namespace tenfold::transpose_impl {

enum class method {
    rows,    ///< the stride-1 mode of A is that of B: rows are copied
    tiles,   ///< two stride-1 modes: blocks are transposed in registers
    elements ///< A or B has no stride-1 mode: element by element, blocked for the caches
};
const char *name(method how) noexcept;

/// One side of the tile, a mode of which each tile takes `step` elements.
struct tile_side {
    index_t extent = 1;
    index_t stride_a = 0;      ///< bytes
    index_t stride_b = 0;      ///< bytes
    index_t step = 1;          ///< elements of this mode per tile
    bool cut_at_lines = false; ///< tiles begin at cache lines: of B along, of A across
    std::vector<int> members;

    index_t tiles(index_t phase) const noexcept { return (extent + phase + step - 1) / step; }
};

/// A loop around the tile.
struct tile_loop {
    enum class walk { mode, along, across };
    walk what;
    index_t extent;   ///< of a mode; the number of tiles is known at run time
    index_t stride_a; ///< bytes
    index_t stride_b;
    std::vector<int> members;
};

/// What the heuristics may choose from; tests and tuning set it, users do not.
struct schedule_options {
    enum class order { balanced, by_b, by_a };

    index_t stream_threshold = -1; ///< bytes of B from which on B bypasses the cache; -1: default
    index_t along_bytes = 0;       ///< of B per tile row; 0: default
    index_t across_bytes = 0;      ///< of A per tile column; 0: default
    order loops = order::balanced;
    index_t bytes_per_thread = -1; ///< least work that is worth a thread; -1: default
};

struct schedule {
    method how = method::rows;
    tile_side along;              ///< B's stride-1 mode
    tile_side across;             ///< A's stride-1 mode (tiles), or B's next mode (rows, elements)
    std::vector<tile_loop> loops; ///< outermost first
    index_t first_a = 0;          ///< bytes from the data pointer to the first element
    index_t first_b = 0;
    index_t size_a = 1; ///< bytes of an element
    index_t size_b = 1;
    index_t elements = 0;
    bool stream = false;     ///< where beta is 0
    bool lines_of_b = false; ///< all strides of B but its smallest are whole cache lines
    int threads = 1;
};

/// At most this much of a tile is buffered; half of the smallest L1 cache in use.
constexpr index_t buffer_bytes = 32 << 10;
/// Bytes between rows of a tile's buffer: whole lines, and an odd number of them, so that a column
/// of lines does not fall into a few sets of the L1 cache.
constexpr index_t buffer_pitch(index_t row_bytes) noexcept {
    return ((row_bytes + 63) / 64 | 1) * 64;
}

/// O(order log order).
schedule make_schedule(reduced_problem problem, data_type type_a, data_type type_b, int threads,
                       const base::machine &machine, const schedule_options &options);

} // namespace tenfold::transpose_impl
