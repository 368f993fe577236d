// How a tensor is spread over ranks, and how a contraction of such tensors will run: values and
// pure functions, without MPI. What moves the data stands in <tenfold/dist.hpp>.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/contract.hpp>
#include <tenfold/einsum.hpp>
#include <tenfold/tensor_view.hpp>

namespace tenfold {

/// A Cartesian box of positions of a tensor.
struct slice {
    extents_t offsets;
    extents_t extents;
    /// No position at all. Needed for scalars only: extents of order 0 always mean one element.
    bool none = false;

    index_t size() const noexcept;
    bool empty() const noexcept { return size() == 0; }
    /// "offsets (0, 4), extents (3, 2)", or "nothing".
    std::string describe() const;

    friend bool operator==(const slice &, const slice &) = default;
};

/// Which rank owns which part of a tensor: a Cartesian grid with one factor per mode cuts mode k
/// of extent N into grid[k] balanced blocks, block i being [floor(i N / p), floor((i+1) N / p)).
/// Block extents differ by one at most; blocks are empty where p > N, and ranks without a cell of
/// the grid own nothing. Every element has exactly one owner.
class distribution {
public:
    distribution() = default;

    /// Cell c of the grid (mode 0 fastest) belongs to rank_of_cell[c]; empty: to rank c.
    /// Throws errc::order_mismatch (extents and grid differ in length) and errc::invalid_argument
    /// (a factor below 1, more cells than ranks, more than 2^20 ranks, a rank outside [0, ranks) or
    /// used twice).
    distribution(extents_t extents, std::vector<int> grid, int ranks,
                 std::vector<int> rank_of_cell = {});

    /// The default: the grid of at most `ranks` cells whose largest block is smallest; among equal
    /// ones the one with fewest cells, then the one whose blocks are nearest to cubes (the smallest
    /// sum of extents), then the one that cuts the last mode most, the first one next if the last
    /// is cut or the first has 128 positions or more (short columns stay whole), then those between
    /// from the last down.
    static distribution block(extents_t extents, int ranks);

    /// Everything on one rank.
    static distribution on_rank(extents_t extents, int ranks, int rank);

    const extents_t &extents() const noexcept { return extents_; }
    const std::vector<int> &grid() const noexcept { return grid_; }
    int order() const noexcept { return static_cast<int>(extents_.size()); }
    int ranks() const noexcept { return ranks_; }
    int cells() const noexcept { return static_cast<int>(rank_of_cell_.size()); }
    const std::vector<int> &rank_of_cell() const noexcept { return rank_of_cell_; }

    /// What `rank` owns; O(order).
    slice block_of(int rank) const;
    /// The rank that owns the element at `position`; O(order).
    int owner(std::span<const index_t> position) const;
    /// Elements of the largest block.
    index_t largest_block() const noexcept;

    /// "extents (48, 36), grid 2x3 of 8 ranks".
    std::string describe() const;
    /// 64 bits that differ when the distributions do (but for accidents).
    std::uint64_t hash() const noexcept;

    friend bool operator==(const distribution &, const distribution &) = default;

private:
    extents_t extents_;
    std::vector<int> grid_;
    int ranks_ = 1;
    std::vector<int> rank_of_cell_ = {0};
    std::vector<int> cell_of_rank_ = {0}; ///< -1: none
};

/// How many parts each super-index of a contraction is cut into.
struct processor_grid {
    int batch = 1;
    int m = 1;
    int n = 1;
    int k = 1;

    std::int64_t size() const noexcept { return std::int64_t{batch} * m * n * k; }
    friend bool operator==(const processor_grid &, const processor_grid &) = default;
};

/// How many positions of each super-index one step of a rank's block has at most; at least 1.
struct step_size {
    index_t batch = INT64_MAX;
    index_t m = INT64_MAX;
    index_t n = INT64_MAX;
    index_t k = INT64_MAX;

    friend bool operator==(const step_size &, const step_size &) = default;
};

/// How many steps a rank's block is cut into, by super-index.
struct step_counts {
    index_t batch = 1;
    index_t m = 1;
    index_t n = 1;
    index_t k = 1;

    friend bool operator==(const step_counts &, const step_counts &) = default;
};

/// Options of a distributed contraction; the same on every rank.
struct dist_options {
    scalar alpha = 1.0; ///< multiplies the scalar in the expression
    std::optional<scalar> beta =
        std::nullopt; ///< empty: 0, or 1 where the expression says "+=" or "-="
    bool conj_a = false;
    bool conj_b = false;
    bool diagonal_output = false; ///< a label twice in the output writes its diagonal only
    tenfold::algorithm algorithm = algorithm::automatic; ///< of the local contractions
    tenfold::tuning tuning = tuning::estimate;           ///< of the local contractions
    std::optional<tenfold::backend> backend = std::nullopt;
    std::optional<byte_count> workspace_limit = std::nullopt; ///< of the local contractions
    /// The same bits on any number of ranks and threads, whatever the distributions and the memory;
    /// on processors of one instruction set (docs/distribution.md). Empty: the context's (in
    /// make_dist_plan: no). Needs the native back end and algorithm::automatic.
    std::optional<bool> reproducible = std::nullopt;
    /// Tensors, panels, buffers and the workspace of local contractions of one rank together;
    /// empty: no limit.
    std::optional<byte_count> memory_per_rank = std::nullopt;
    /// Forces a grid; its size must not exceed the number of ranks. Empty: the cheapest.
    std::optional<processor_grid> grid = std::nullopt;
    /// Forces the steps; memory_per_rank then only checks. Empty: as memory and overlap want them.
    std::optional<step_size> step = std::nullopt;
    /// Of each rank, for its local contractions; ranks may differ. 0: those that the context's
    /// settings name, else the world's (in make_dist_plan: the context's).
    int threads = 0;
    /// Null: context::global().
    const context *ctx = nullptr;
    /// Progress and a stop, of contract(): each rank's own; null on all ranks, or on none. A stop
    /// on any rank ends the call on all, between steps. Plans do not look at it.
    const execution_control *control = nullptr;
};

/// What a distributed plan will do, as numbers. "Per rank" means the maximum over the ranks; bytes
/// are payload.
struct dist_plan_summary {
    int ranks;
    processor_grid grid;
    index_t m, n, k, batch;         ///< products of the groups' extents
    double flops;                   ///< of all ranks together
    double flops_per_rank;          ///< of the largest block
    byte_count bytes_received;      ///< per rank, by the contraction, operands in the plan's layout
    byte_count redistribution;      ///< received per rank, to reach that layout and to come back
    byte_count bound;               ///< no algorithm receives less, operands in any layout
    double ratio_to_bound;          ///< bytes_received / bound; 1 where both are 0, else infinite
    bool bound_is_memory_dependent; ///< which of the two bounds is the larger one
    byte_count memory_independent_bound;
    byte_count memory_dependent_bound; ///< in memory_per_rank; without it, in this plan's peak
    step_counts steps;                 ///< of the largest block, one after the other
    index_t leaves;       ///< whose sums a reproducible result adds by a fixed tree; 0: it is not
    byte_count panels;    ///< per rank: of A and B, of one step
    byte_count peak;      ///< per rank: blocks, panels, buffers and the workspace of local ones
    byte_count workspace; ///< per rank: of local contractions, with as many threads as stated
};

namespace dist_impl {
struct plan_state;
}

/// A distributed contraction decided once: a value, immutable, cheap to copy. All ranks compute it
/// for themselves from the same arguments, and hash() tells whether they agree.
class dist_plan {
public:
    const dist_plan_summary &summary() const noexcept;

    /// How operand `which` (inputs in order, then the output) has to be spread for the contraction
    /// to need no redistribution. The layout of an operand with a repeated label is that of its
    /// diagonal: one mode per label.
    const distribution &layout_of(int which) const;

    std::uint64_t hash() const noexcept;

    /// Several lines for people: super-indices, grid, bytes, bound and ratio, memory.
    std::string describe() const;

    explicit dist_plan(std::shared_ptr<const dist_impl::plan_state> state)
        : state_(std::move(state)) {}
    const dist_impl::plan_state &internals() const noexcept { return *state_; }

private:
    std::shared_ptr<const dist_impl::plan_state> state_;
};

/// Plans `spec` (one or two inputs) for operands that are spread as `operands` says: the inputs in
/// order, then the output, all over the same number of ranks. A pure function: no MPI, no clock, no
/// environment; ties are broken on integers. `peak` and `workspace` alone depend on the processor
/// too, through the context's local plans, which decide nothing.
///
/// Throws as make_plan() does for labels, orders and extents; errc::invalid_argument when the
/// distributions differ in ranks, a forced grid has too many, or cuts k otherwise than
/// reproducible sums may be, or forced steps are below 1; errc::unsupported when reproducible
/// results are asked of another back end or algorithm than Tenfold's own;
/// errc::workspace_too_small, with the least that would do, when no grid stays within
/// memory_per_rank in the smallest steps.
dist_plan make_dist_plan(const contraction_spec &spec, data_type type,
                         std::span<const distribution> operands, const dist_options &options = {});

/// The same for operands in the default distribution (distribution::block); `extents` of the
/// inputs in order, then of the output.
dist_plan make_dist_plan(const contraction_spec &spec, data_type type,
                         std::span<const extents_t> extents, int ranks,
                         const dist_options &options = {});

} // namespace tenfold
