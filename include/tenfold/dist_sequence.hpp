// Contractions of more than two tensors across ranks: in which order, and where the tensors between
// them lie. Values and pure functions, without MPI; <tenfold/dist.hpp> runs them.
#pragma once

#include <tenfold/dist_plan.hpp>

namespace tenfold {

/// A contraction of two tensors on the way to the output, or a sum over one.
struct dist_step {
    std::string expression;
    std::vector<std::size_t> operands; ///< inputs from 0, or the number of inputs plus a step's;
                                       ///< none where nothing is multiplied
    dist_plan plan;
    distribution result; ///< how what it computes is spread; the last one's is the output's
    byte_count beside; ///< per rank: tensors that are there meanwhile, without operands and result
};

/// What all steps will do together. "Per rank" means the maximum over the ranks of each step.
struct dist_sequence_summary {
    int ranks;
    double flops;              ///< of all ranks, in all steps
    double flops_at_once;      ///< of all loops in one nest, without intermediates
    byte_count bytes_received; ///< per rank, by the contractions, operands in the plans' layouts
    byte_count redistribution; ///< received per rank, to reach those layouts and to come back
    byte_count intermediates;  ///< per rank, at a time
    byte_count peak;           ///< per rank: all tensors, and what the steps need
};

namespace dist_impl {
struct sequence_state;
}

/// A contraction of any number of distributed inputs, decided once: a value, immutable, cheap to
/// copy. All ranks compute it for themselves, and hash() tells whether they agree.
class dist_sequence {
public:
    const dist_sequence_summary &summary() const noexcept;
    /// One less than there are inputs, and one for each input that is summed before; at least one.
    const std::vector<dist_step> &steps() const noexcept;
    std::uint64_t hash() const noexcept;
    /// For people: the path, bytes, memory, and each step.
    std::string describe() const;

    explicit dist_sequence(std::shared_ptr<const dist_impl::sequence_state> state)
        : state_(std::move(state)) {}

private:
    std::shared_ptr<const dist_impl::sequence_state> state_;
};

/// Plans `spec` for operands that are spread as `operands` says, the inputs in order, then the
/// output. The order is the one with the fewest multiply-adds (of up to ten inputs; beyond, found
/// greedily and improved piece by piece), and under memory_per_rank the next one that fits, but in
/// reproducible plans, which take the first or none. An intermediate is spread as the step that
/// computes it leaves it, as the one that reads it wants it, or by default, whichever makes both
/// cheapest. `conjugated` says which inputs are conjugated, besides options.conj_a and conj_b for
/// the first two; empty: none.
///
/// Throws as make_dist_plan() does, and errc::invalid_argument when a grid or steps are forced on
/// more than two inputs.
dist_sequence make_dist_sequence(const contraction_spec &spec, data_type type,
                                 std::span<const distribution> operands,
                                 const dist_options &options = {},
                                 const std::vector<bool> &conjugated = {});

} // namespace tenfold
