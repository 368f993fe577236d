// Paths: the order in which the tensors of a network are contracted, two at a time.
//
// The cost of contracting two tensors is the number of multiply-adds: the product of the extents of
// all labels of either, whatever their class (free, contracted, batch, isolated). A label is summed
// over in the contraction after which no other tensor has it. A label of one input only may also be
// summed before, at the cost of one addition per element of that input; that is done if it makes
// the total cheaper.
//
// Finding the cheapest path is NP-hard (Lam, Sadayappan, Wenger 1997). Up to most_optimal inputs it
// is found by dynamic programming over subsets of the inputs (Pfeifer, Haegeman, Verstraete, Phys.
// Rev. E 90, 033315, 2014). For more inputs, pairs are contracted greedily, preferring those whose
// result is smallest compared with the tensors that it replaces (Smith, Gray, JOSS 3(26), 753,
// 2018); then pieces of that tree are made optimal.
#pragma once

#include <cstdint>
#include <vector>

#include "einsum/path/network.hpp"

namespace tenfold::einsum_impl {

/// Dynamic programming considers 3^n splits, which takes half a millisecond for 10 inputs.
constexpr std::size_t most_optimal = 10;

/// One contraction of two tensors. A tensor is an input (its number), or the result of step s
/// (number of inputs + s).
struct pair_step {
    struct operand {
        std::size_t tensor;
        bool sum_first = false; ///< sums the labels that only this input has before
    };
    operand left, right;
};

/// Where a path comes from.
enum class path_origin : std::uint8_t {
    optimal, ///< no path within the same peak has fewer multiply-adds
    greedy,
    given ///< by the caller
};

/// For explain() and messages.
constexpr const char *describe(path_origin origin) noexcept {
    switch (origin) {
    case path_origin::optimal:
        return "the fewest multiply-adds";
    case path_origin::greedy:
        return "found greedily and improved piece by piece";
    case path_origin::given:
        break;
    }
    return "in the given order";
}

/// A path has one step fewer than there are inputs. The operands of a step are inputs or results of
/// earlier steps, and each is used once.
struct contraction_path {
    std::vector<pair_step> steps;
    path_origin origin = path_origin::greedy;

    double multiply_adds = 0; ///< in all steps, including the additions of sums done first
    double peak = 0;          ///< most elements of intermediates alive at one time
};

/// Labels of all tensors of a path: the inputs, then the intermediates step by step. The last one
/// is the output.
std::vector<label_set> labels_of_tensors(const network &net, const contraction_path &path);

/// Labels of input `i` that neither another tensor nor the output has.
label_set labels_of_its_own(const network &net, std::size_t i);

/// Multiply-adds of a single loop nest over all labels: one less than there are inputs at every
/// position. Infinite if a double overflows.
double multiply_adds_at_once(const network &net);

/// The cheapest paths found, for at least two inputs and no extent 0, with ascending multiply-adds
/// and descending peaks of live intermediates. The first one is the cheapest of any peak; it is the
/// only one unless `frugal`, and then the last one has the least peak found. Up to most_optimal
/// inputs no path has fewer multiply-adds within the same peak, among paths that complete one
/// operand of a step before they begin the other; if there are more than 16 such paths, some
/// between the ends are left out. Deterministic. Sizes that overflow a double count as infinite.
/// A network that has a path gets that one, with the cheapest order within steps of more than two
/// operands.
std::vector<contraction_path> find_paths(const network &net, bool frugal);

/// The path in the caller's form, in which the steps' left operands come first.
path_steps positions_of(const contraction_path &path);

} // namespace tenfold::einsum_impl
