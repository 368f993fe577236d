// How a tensor is distributed over ranks, and how a contraction of such tensors will run. Only
// values and pure functions, without MPI; <tenfold/dist.hpp> moves the data.
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

namespace [[gnu::visibility("default")]] tenfold {

template <class T> class dist_tensor;

/// A Cartesian box of positions of a tensor.
struct slice {
    extents_t offsets;
    extents_t extents;
    /// True if the slice has no position. Needed for scalars only, because extents of order 0
    /// always mean one element.
    bool none = false;

    index_t size() const noexcept;
    bool empty() const noexcept { return size() == 0; }
    /// "offsets (0, 4), extents (3, 2)", or "nothing".
    std::string describe() const;

    friend bool operator==(const slice &, const slice &) = default;
};

/// The assignment of a tensor's parts to ranks. A Cartesian grid with one factor per mode cuts mode
/// k of extent N into p = grid[k] balanced blocks; block i is [floor(i N / p), floor((i+1) N / p)).
/// Block extents differ by at most one. Some blocks are empty if p > N, and ranks without a cell of
/// the grid own nothing.
///
/// A tensor may be kept in several equal copies, each of them cut by the same grid and on ranks of
/// its own. Every element has exactly one owner in each copy.
class distribution {
public:
    distribution() = default;

    /// Cell c of the grid (mode 0 fastest) belongs to rank_of_cell[c], or to rank c if rank_of_cell
    /// is empty; that of copy i to rank_of_cell[i * cells + c], or to rank i * cells + c. Throws
    /// errc::order_mismatch (extents and grid differ in length) and errc::invalid_argument (a
    /// factor below 1, fewer copies than 1, more cells in all copies than ranks, more than 2^20
    /// ranks, a rank outside [0, ranks) or used twice).
    distribution(extents_t extents, std::vector<int> grid, int ranks,
                 std::vector<int> rank_of_cell = {}, int copies = 1);

    /// The default: the grid of at most `ranks` cells whose largest block is smallest. Ties are
    /// resolved in this order: fewest cells; blocks nearest to cubes (smallest sum of extents);
    /// most cuts in the last mode; then most cuts in the first mode, if the last mode is cut or the
    /// first has at least 128 positions (so that short columns remain whole); then most cuts in the
    /// modes between, from the last down.
    static distribution block(extents_t extents, int ranks);

    /// The whole tensor on one rank.
    static distribution on_rank(extents_t extents, int ranks, int rank);

    /// As many copies, each cut as block() cuts for ranks / copies ranks; with as many copies as
    /// ranks, every rank has the whole tensor. Throws errc::invalid_argument unless 1 <= copies <=
    /// ranks.
    static distribution replicated(extents_t extents, int ranks, int copies);

    const extents_t &extents() const noexcept { return extents_; }
    const std::vector<int> &grid() const noexcept { return grid_; }
    int order() const noexcept { return static_cast<int>(extents_.size()); }
    int ranks() const noexcept { return ranks_; }
    /// Of the grid.
    int cells() const noexcept { return static_cast<int>(rank_of_cell_.size()) / copies_; }
    int copies() const noexcept { return copies_; }
    /// cells() * copies() of them.
    const std::vector<int> &rank_of_cell() const noexcept { return rank_of_cell_; }

    /// The cell of `rank`, and the copy that it is part of, from 0; -1 if it has none.
    int cell_of(int rank) const noexcept;
    int copy_of(int rank) const noexcept;
    /// The block that `rank` owns; O(order).
    slice block_of(int rank) const;
    /// The rank that owns the element at `position`, in the first copy; O(order).
    int owner(std::span<const index_t> position) const;
    /// Number of elements of the largest block.
    index_t largest_block() const noexcept;

    /// "extents (48, 36), grid 2x3 on 8 ranks"; copies are told if there are several.
    std::string describe() const;
    /// A 64-bit hash.
    std::uint64_t hash() const noexcept;

    friend bool operator==(const distribution &, const distribution &) = default;

private:
    template <class T> friend class dist_tensor;
    struct unset {};
    /// The distribution of a tensor that is being made. Unlike the default it allocates nothing.
    explicit distribution(unset) noexcept : rank_of_cell_(), cell_of_rank_() {}

    extents_t extents_;
    std::vector<int> grid_;
    int ranks_ = 1;
    int copies_ = 1;
    std::vector<int> rank_of_cell_ = {0};
    std::vector<int> cell_of_rank_ = {0}; ///< copy * cells() + cell; -1: no cell
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

/// The largest number of positions of each super-index in one step of a rank's block; at least 1.
struct step_size {
    index_t batch = INT64_MAX;
    index_t m = INT64_MAX;
    index_t n = INT64_MAX;
    index_t k = INT64_MAX;

    friend bool operator==(const step_size &, const step_size &) = default;
};

/// The number of steps of a rank's block, by super-index.
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
        std::nullopt; ///< empty: 0, or 1 if the expression says "+=" or "-="
    bool conj_a = false;
    bool conj_b = false;
    bool diagonal_output = false; ///< a label twice in the output writes its diagonal only
    tenfold::algorithm algorithm = algorithm::automatic; ///< for the local contractions
    tenfold::tuning tuning = tuning::estimate;           ///< for the local contractions
    std::optional<tenfold::backend> backend = std::nullopt;
    std::optional<byte_count> workspace_limit = std::nullopt; ///< for the local contractions
    /// Requests the same bits on any number of ranks and threads, for any distributions and memory
    /// limits, on processors of one instruction set (docs/distribution.md). Empty: the context's
    /// setting (in make_dist_plan: no). Needs the native back end and algorithm::automatic.
    std::optional<bool> reproducible = std::nullopt;
    /// Limit in bytes for the tensors, panels, buffers and local workspace of one rank together;
    /// empty: no limit.
    std::optional<byte_count> memory_per_rank = std::nullopt;
    /// Forces a grid; its size must not exceed the number of ranks. Empty: the cheapest.
    std::optional<processor_grid> grid = std::nullopt;
    /// Forces the steps; then memory_per_rank is only checked. Empty: chosen for memory and
    /// overlap.
    std::optional<step_size> step = std::nullopt;
    /// Threads of each rank's local contractions; ranks may differ, and plan with rank 0's. 0: the
    /// number in the context's settings, else the world's (in make_dist_plan: the context's).
    int threads = 0;
    /// Null: context::global().
    const context *ctx = nullptr;
    /// Reports progress and requests a stop in contract(). Each rank passes its own; null on all
    /// ranks or on none. A stop on any rank ends the call on all ranks, between steps. Plans ignore
    /// it.
    const execution_control *control = nullptr;
    /// Applied to the output at the end of contract(), by each rank to its own block; null: none.
    /// Its tensors are whole and the same on every rank; labels, extents, types and numbers must
    /// be. Plans ignore it.
    const contraction_epilogue *epilogue = nullptr;
    /// Ranks of a node: rank r is on node r / ranks_per_node. 0: as the world finds it (in
    /// make_dist_plan: all ranks on one node). Plans then number ranks so that nodes receive
    /// little from each other, and what several ranks of a node need arrives there once.
    int ranks_per_node = 0;
};

/// Describes a distributed plan in numbers. "Per rank" means the maximum over the ranks; bytes are
/// payload.
struct dist_plan_summary {
    int ranks;
    processor_grid grid;
    index_t m, n, k, batch;         ///< products of the groups' extents
    double flops;                   ///< of all ranks together
    double flops_per_rank;          ///< of the rank with the largest block
    byte_count bytes_received;      ///< per rank, by the contraction, operands in the plan's layout
    byte_count redistribution;      ///< received per rank, to reach that layout and for the result
    byte_count bound;               ///< lower bound for any algorithm, inputs in as many copies
    double ratio_to_bound;          ///< bytes_received / bound; 1 where both are 0, else infinite
    bool bound_is_memory_dependent; ///< whether the memory-dependent bound is the larger of the two
    byte_count memory_independent_bound;
    byte_count memory_dependent_bound; ///< for memory_per_rank, or for this plan's peak if there is
                                       ///< no limit
    step_counts steps;                 ///< of the largest block, one after the other
    index_t leaves;    ///< of the fixed tree that adds a reproducible result; 0: not reproducible
    byte_count panels; ///< per rank: panels of A and B of one step
    byte_count peak;   ///< per rank: blocks, panels, buffers and the local workspace
    byte_count workspace;        ///< per rank: local workspace, with the stated number of threads
    byte_count total_received;   ///< bytes_received + redistribution
    double total_ratio_to_bound; ///< total_received / bound; 1 where both are 0, else infinite
    /// The part of `redistribution` that keeps copies equal: what a rank receives of the output for
    /// its second and further copies.
    byte_count keeping_copies_equal;
    int ranks_per_node; ///< 0: all ranks are on one node
    /// Per node: what its ranks receive from other nodes, a part of their `bytes_received`. Of the
    /// busiest node; if there are more than 64, of the busiest of some.
    byte_count between_nodes;
};

/// A distributed contraction that is decided once. An immutable value, cheap to copy. Each rank
/// computes it from the same arguments, and hash() shows whether the ranks agree.
class dist_plan {
public:
    const dist_plan_summary &summary() const noexcept;

    /// The distribution of operand `which` (inputs in order, then the output) for which the
    /// contraction needs no redistribution. An input that exists in copies has one for each rank
    /// that needs the same block, if that saves bytes. For an operand with a repeated label it is
    /// the layout of the diagonal: one mode per label.
    const distribution &layout_of(int which) const;

    std::uint64_t hash() const noexcept;

    /// Several lines of text: super-indices, grid, bytes, bound and ratio, memory.
    std::string describe() const;

private:
    friend struct internals;
    struct state;
    explicit dist_plan(std::shared_ptr<const state> planned) : state_(std::move(planned)) {}

    std::shared_ptr<const state> state_;
};

/// Plans `spec` (one or two inputs) for operands distributed as in `operands`: the inputs in order,
/// then the output, all over the same number of ranks. A pure function of its arguments and of the
/// context's rates, by which grids are priced (typical ones if the plan is reproducible): it uses
/// neither MPI nor clock. contract() plans with rank 0's rates and threads. Local plans, which
/// depend on the context's processor, affect only `peak` and `workspace`.
///
/// Throws as make_plan() does for labels, orders and extents. Throws errc::invalid_argument if the
/// distributions differ in their number of ranks, if ranks_per_node is negative, if a forced grid
/// has too many ranks or cuts k in a way that reproducible sums do not allow, or if forced steps
/// are below 1; errc::unsupported if reproducible results are requested with another back end or
/// algorithm than Tenfold's own; errc::workspace_too_small, with the smallest sufficient limit, if
/// no grid stays within memory_per_rank even with the smallest steps.
dist_plan make_dist_plan(const contraction_spec &spec, data_type type,
                         std::span<const distribution> operands, const dist_options &options = {});

/// The same for operands in the default distribution (distribution::block). `extents` are those of
/// the inputs in order, then of the output.
dist_plan make_dist_plan(const contraction_spec &spec, data_type type,
                         std::span<const extents_t> extents, int ranks,
                         const dist_options &options = {});

} // namespace tenfold
