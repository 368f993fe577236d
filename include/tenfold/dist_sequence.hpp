// Contractions of more than two distributed tensors: the order of the steps, and the distribution
// of the intermediates. Only values and pure functions, without MPI; <tenfold/dist.hpp> runs them.
#pragma once

#include <tenfold/dist_plan.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// A contraction of two tensors on the way to the output, or a sum over labels of one tensor.
struct dist_step {
    std::string expression;
    /// An input by its number, from 0; the result of a step by the number of inputs plus the
    /// step's; empty if nothing is multiplied.
    std::vector<std::size_t> operands;
    dist_plan plan;
    distribution result; ///< distribution of the step's result; for the last step, the output's
    byte_count beside;   ///< per rank: tensors that exist meanwhile, except operands and result
};

/// Describes all steps together. "Per rank" means the maximum over the ranks of each step.
struct dist_sequence_summary {
    int ranks;
    double flops;              ///< of all ranks, in all steps
    double flops_at_once;      ///< of a single loop nest over all labels, without intermediates
    byte_count bytes_received; ///< per rank, by the contractions, operands in the plans' layouts
    byte_count redistribution; ///< received per rank, to reach those layouts and for the results
    byte_count intermediates;  ///< per rank, the most at any time
    byte_count peak;           ///< per rank: all tensors, and the memory of the steps
};

/// A contraction of any number of distributed inputs that is decided once. An immutable value,
/// cheap to copy. Each rank computes it for itself, and hash() shows whether the ranks agree.
class dist_sequence {
public:
    const dist_sequence_summary &summary() const noexcept;
    /// One step less than there are inputs, and one more for each input that is summed first; at
    /// least one.
    const std::vector<dist_step> &steps() const noexcept;
    std::uint64_t hash() const noexcept;
    /// Several lines of text: the path, bytes, memory, and each step.
    std::string describe() const;

private:
    friend struct internals;
    struct state;
    explicit dist_sequence(std::shared_ptr<const state> planned) : state_(std::move(planned)) {}

    std::shared_ptr<const state> state_;
};

/// Plans `spec` for operands distributed as in `operands`: the inputs in order, then the output.
/// Takes the order with the fewest multiply-adds for up to ten inputs; for more inputs, a greedy
/// order that is improved piece by piece. If that exceeds memory_per_rank, takes the next one that
/// fits, except for reproducible plans, which only consider the first one. An intermediate is
/// distributed as the step that computes it leaves it, as the step that reads it needs it, or by
/// default, whichever makes the two steps cheapest. `conjugated` states which inputs are
/// conjugated, in addition to options.conj_a and conj_b for the first two; empty: none.
///
/// Throws as make_dist_plan() does, and errc::invalid_argument if a grid or steps are forced on
/// more than two inputs.
dist_sequence make_dist_sequence(const contraction_spec &spec, data_type type,
                                 std::span<const distribution> operands,
                                 const dist_options &options = {},
                                 const std::vector<bool> &conjugated = {});

} // namespace tenfold
