// Decides for the whole calculation how tensors are distributed, so that little has to be moved.
//
// Tensors with two virtual modes or more are distributed along one of them, the same in all: the
// mode that the equations (equations.cpp) assign to ranks, from the residuals' modes on. The
// operands that equations sum over are whole on all ranks, made by "gather" or by each rank for
// itself. Hence nearly all lines are executed on local data without communication.
#pragma once

#include <string>
#include <vector>

#include <tenfold/dist_plan.hpp>
#include <tenfold/einsum.hpp>

namespace tenfold::ccsd {

/// Bytes of an element: all tensors are of f64.
inline constexpr auto word = static_cast<index_t>(sizeof(double));

class placement {
public:
    /// `replicate`: what lines need all of is whole on each rank. Otherwise all tensors are
    /// distributed, and lines whose operands are not all local become distributed contractions.
    placement(int ranks, bool replicate) : ranks_(ranks), replicate_(replicate && ranks > 1) {}

    int ranks() const noexcept { return ranks_; }
    bool replicates(const std::string &name) const;
    /// The distribution of a tensor that is not whole on each rank.
    distribution spread_of(const std::string &name, const extents_t &extents) const;

    /// Whether every rank can have a part of the distributed modes.
    static bool can_replicate(int ranks, index_t v) noexcept { return ranks > 1 && v >= ranks; }

private:
    int ranks_;
    bool replicate_;
};

/// An operand of a line.
struct placed_tensor {
    const distribution *spread = nullptr; ///< over one rank if each rank has all of it
    bool replicated = false;

    slice block_of(int rank) const { return spread->block_of(replicated ? 0 : rank); }
};

/// An operand of a line on one rank: a part of the local data.
struct local_operand {
    index_t offset = 0; ///< of its first element
    layout shape;
};

/// Returns the operands that a rank needs to compute its block of the output (the last operand):
/// inputs in order, then the output. Empty if some of the data is on other ranks.
std::vector<local_operand> local_operands(const contraction_spec &spec,
                                          const std::vector<placed_tensor> &operands, int rank);

/// The line as local plans have it: they are told when they are executed what "+=" and "-=" mean.
inline contraction_spec with_assignment(contraction_spec spec) {
    spec.operation = contraction_spec::update::assign;
    return spec;
}

/// Returns whether all ranks have their operands; the same answer on all of them.
bool is_local(const contraction_spec &spec, const std::vector<placed_tensor> &operands, int ranks);

} // namespace tenfold::ccsd
