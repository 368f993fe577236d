// Where tensors lie, decided once for the whole calculation, and what that leaves to move.
//
// Tensors with two virtual modes or more are cut along one of them, the same in all: the one that
// the equations (equations.cpp) give to the rank. What the equations sum over comes from tensors
// that all ranks have: names in replicated_names, made by "gather" or by each rank for itself. So
// nearly all lines are executed where their operands lie, without a word between ranks.
#pragma once

#include <string>
#include <vector>

#include <tenfold/dist_plan.hpp>

namespace tenfold::ccsd {

class placement {
public:
    /// `replicate`: tensors named for it are whole on each rank; else all are spread, and lines
    /// whose operands do not lie as they want them are distributed contractions.
    placement(int ranks, bool replicate) : ranks_(ranks), replicate_(replicate && ranks > 1) {}

    int ranks() const noexcept { return ranks_; }
    bool replicates(const std::string &name) const;
    /// Of a tensor that is not whole on each rank.
    distribution spread_of(const std::string &name, const extents_t &extents) const;

    /// Whether every rank can have a part of the cut modes.
    static bool can_replicate(int ranks, index_t v) noexcept { return ranks > 1 && v >= ranks; }

private:
    int ranks_;
    bool replicate_;
};

/// A tensor as a line finds it.
struct placed_tensor {
    const distribution *spread = nullptr; ///< over one rank where each has all of it
    bool replicated = false;

    slice block_of(int rank) const { return spread->block_of(replicated ? 0 : rank); }
};

/// An operand of a line on one rank: a part of what is there.
struct local_operand {
    index_t offset = 0; ///< of its first element
    layout shape;
};

/// What a rank needs to compute its block of the output (the last operand), inputs in order, then
/// the output. Empty where some of it lies elsewhere.
std::vector<local_operand> local_operands(const contraction_spec &spec,
                                          const std::vector<placed_tensor> &operands, int rank);

/// Whether that is so for no rank: the same answer on all of them.
bool is_local(const contraction_spec &spec, const std::vector<placed_tensor> &operands, int ranks);

} // namespace tenfold::ccsd
