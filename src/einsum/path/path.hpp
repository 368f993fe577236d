// Paths: in which order to contract the tensors of a network, two at a time.
//
// The cost of contracting two tensors is the product of the extents of all labels of either:
// multiply-adds, labels of any class included (free, contracted, batch, isolated). A label is
// summed over in the contraction after which nothing else carries it. Before that, a label that
// only one input carries may be summed away at the cost of one addition per element of that input;
// that is done where it makes the sum of both smaller.
//
// Finding the cheapest path is NP-hard (Lam, Sadayappan, Wenger 1997). Up to most_optimal inputs
// it is found by dynamic programming over subsets of the inputs (Pfeifer, Haegeman, Verstraete,
// Phys. Rev. E 90, 033315, 2014). Beyond, pairs are contracted greedily, first those whose result
// is smallest beside what it replaces (Smith, Gray, JOSS 3(26), 753, 2018), and pieces of the tree
// that this gives are made optimal.
#pragma once

#include <vector>

#include "einsum/path/network.hpp"

namespace tenfold::einsum_impl {

/// 3^n splits are looked at, which takes half a millisecond for 10 inputs.
constexpr std::size_t most_optimal = 10;

/// One contraction of two tensors. A tensor is an input (its number), or the result of step s
/// (number of inputs + s).
struct pair_step {
    struct operand {
        std::size_t tensor;
        bool sum_first = false; ///< an input whose labels of its own are summed away before
    };
    operand left, right;
};

/// A path: one step fewer than there are inputs; every step's operands are inputs or results
/// of earlier steps, and each is used once.
struct contraction_path {
    std::vector<pair_step> steps;
    bool optimal = false; ///< no path has fewer multiply-adds (or not within as small a peak)

    double multiply_adds = 0; ///< in all steps, additions of sums done first included
    double peak = 0;          ///< most elements of intermediates that live at a time
};

/// How paths are found, for people.
constexpr const char *describe_search(bool optimal) noexcept {
    return optimal ? "the fewest multiply-adds" : "found greedily and improved piece by piece";
}

/// Labels that the tensors of a path carry, intermediates (step by step) after the inputs; the
/// last one is the output.
std::vector<label_set> labels_of_tensors(const network &net, const contraction_path &path);

/// Labels of input `i` that no other tensor and not the output carries.
label_set labels_of_its_own(const network &net, std::size_t i);

/// Multiply-adds of all loops at once: one less than there are inputs, at every position of all
/// labels. Infinite where that is more than a double holds.
double multiply_adds_at_once(const network &net);

/// The cheapest paths found, for two inputs or more and no extent 0: multiply-adds ascend, the
/// peak of live intermediates descends. The first one is the cheapest whatever its peak, and the
/// only one unless `frugal`; with that the list ends with the least peak that was found. Up to
/// most_optimal inputs no path has fewer multiply-adds within the same peak, of those that finish
/// one operand of a step before they begin with the other; where there are more than 16 such
/// paths, some between the ends are left out. Deterministic. Sizes beyond double count as
/// infinite.
std::vector<contraction_path> find_paths(const network &net, bool frugal);

} // namespace tenfold::einsum_impl
