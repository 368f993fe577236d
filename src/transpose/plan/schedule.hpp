// A schedule says in which order a reduced transposition runs: method, runs, panels, loops around
// them, threads.
//
// B is written in runs, which are contiguous in B. A panel holds the places at which the same piece
// of a run is written while A is read along its own fastest modes. So A is read in as many long
// streams as a strip has columns, and the next strip of the panel completes the pages of B that
// this one began. See docs/adr/0003.
//
// As in TTC (Springer, Hammond, Bientinesi 2017) and HPTT (Springer, Su, Bientinesi 2017), a
// transposition consists of transpositions of the two stride-1 modes, whose blocks are transposed
// in registers.
#pragma once

#include <string>
#include <vector>

#include "base/machine.hpp"
#include "transpose/plan/modes.hpp"

namespace tenfold::transpose_impl {

enum class method {
    rows,    ///< A and B have the same stride-1 mode: runs are copied
    tiles,   ///< two stride-1 modes: blocks are transposed in registers
    elements ///< A or B has no stride-1 mode: element by element, blocked for the caches
};
const char *name(method how) noexcept;

/// A mode with its strides in bytes.
struct walked_mode {
    index_t extent = 1;
    index_t stride_a = 0;
    index_t stride_b = 0;
    std::vector<int> members; ///< modes of B, fastest first

    friend bool operator==(const walked_mode &, const walked_mode &) = default;
};

/// A loop around the panels.
struct panel_loop {
    enum class over { mode, rows, panel, run };
    over what;
    walked_mode mode; ///< strides per step of the loop
    index_t count;    ///< number of steps

    friend bool operator==(const panel_loop &, const panel_loop &) = default;
};

/// The choices of the heuristics; tests and tuning set them, users do not. -1 or 0 means the
/// default.
struct schedule_options {
    index_t stream_threshold = -1; ///< bytes of B from which on B bypasses the cache
    index_t panel_rows = 0;        ///< places of a panel, in rows of B
    index_t panel_reads = 0;       ///< bytes of A that a panel reads per column
    index_t strip = 0;             ///< columns per strip
    index_t ahead = -1;            ///< tiles that are prefetched ahead
    index_t skew = -1;             ///< further tiles for each next column
    index_t prefetch_level = 0;    ///< of the cache that is prefetched into: 1 or 2
    index_t block = -1;            ///< tiles that go through a buffer together; 0: none
    index_t bytes_per_thread = -1; ///< least work per thread
    /// Bytes of the tensor that the larger side is a part of; 0: it is whole. Not tuned.
    index_t part_of = 0;
};

/// The properties of kernels that a schedule depends on.
struct kernel_shape {
    index_t width = 1;    ///< rows of a tile
    bool carries = false; ///< can write past the cache at any alignment
    bool joins = false;   ///< can move elements of A's type unchanged, and compute later
    bool buffers = false; ///< compute only so: tiles go through a buffer
};

struct schedule {
    method how = method::rows;
    std::vector<walked_mode> rows;  ///< contiguous in A: its stride-1 mode and, while that is
                                    ///< short, the modes that continue it; a tile takes `width` of
                                    ///< their elements
    index_t row_extent = 1;         ///< number of rows
    index_t width = 1;              ///< rows per tile
    index_t row_piece = 1;          ///< rows per panel
    std::vector<walked_mode> panel; ///< the panel's other modes, fastest in A first
    index_t panel_piece = 1;        ///< extent of the last of them, per panel
    std::vector<walked_mode> run;   ///< contiguous in B (elements: one mode), fastest first
    index_t run_extent = 1;         ///< elements
    index_t run_piece = 1;          ///< elements that one thread takes at a time
    index_t strip = 1;              ///< columns
    index_t ahead = 0;              ///< tiles that are prefetched ahead
    index_t skew = 0;               ///< further tiles for each next column
    index_t prefetch_level = 1;     ///< of the cache that is prefetched into
    index_t block = 0;              ///< tiles of a strip that are joined in a buffer; 0: none
    std::vector<panel_loop>
        loops;           ///< around the panels, outermost first; the run's pieces innermost
    index_t first_a = 0; ///< bytes from the data pointer to the first element
    index_t first_b = 0;
    index_t size_a = 1; ///< bytes of an element
    index_t size_b = 1;
    index_t elements = 0;
    bool accumulates = false;    ///< B is read too
    bool stream = false;         ///< B is written past the cache
    bool joins = false;          ///< short runs that are contiguous in B are written from a buffer
    bool lines_of_b = false;     ///< runs are whole cache lines apart
    bool reads_in_order = false; ///< A is read in order, so only B is prefetched
    int threads = 1;

    index_t units() const noexcept {
        index_t total = 1;
        for (const panel_loop &loop : loops)
            total *= loop.count;
        return total;
    }

    friend bool operator==(const schedule &, const schedule &) = default;
};

/// Bounds of what execution keeps on the stack.
constexpr index_t most_tiles = 512;    ///< of a panel
constexpr index_t most_width = 16;     ///< rows of a tile
constexpr index_t most_columns = 256;  ///< of a strip; also pieces
constexpr index_t most_fused = 1024;   ///< rows of several modes
constexpr index_t most_carried = 1024; ///< rows of a panel whose lines wait until they are complete

method choose_method(const reduced_problem &problem);

/// How the elements of a reduced problem are moved.
struct movement {
    data_type type_a;
    data_type type_b;
    bool accumulates = false; ///< B is read too
    int threads = 1;          ///< at most
};

/// Returns how many of `most` threads pay for writing so many bytes of B, at least 1.
int worthwhile_threads(double bytes_b, int most) noexcept;

/// Returns the speed at which tiles write runs of so many bytes to memory, at most 1, that of runs
/// of whole lines: where lines are cut, stores cross them, and what goes past the caches is joined
/// or carried first.
double speed_of_runs(index_t bytes) noexcept;

/// `kernels` are those of choose_method()'s method. O(order^2).
schedule make_schedule(reduced_problem problem, const movement &how, const base::machine &machine,
                       const kernel_shape &kernels, const schedule_options &options);

} // namespace tenfold::transpose_impl
