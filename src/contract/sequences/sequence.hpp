// More than two inputs: a sequence of plans for two tensors (or one), with the tensors between them
// in one block of workspace.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tenfold/contract.hpp>

#include "contract/sequences/sequence_draft.hpp"
#include "einsum/path/path.hpp"

namespace tenfold::contract_impl {

struct sequence_step {
    drafted_step draft;
    contraction_plan plan;
    index_t workspace_offset; ///< of what the plan needs itself, for as long as it runs
};

struct sequence {
    std::vector<sequence_step> steps; ///< the last one writes D
    std::vector<drafted_intermediate> intermediates;
    std::vector<index_t> offsets; ///< of the intermediates, in the workspace
    byte_count workspace;         ///< all in all

    std::vector<layout> input_elements; ///< those that are read: one mode per label
    data_type input_type;
    /// Some extent is 0: the only step leaves D = beta op(C) behind and reads no input.
    bool empty = false;

    einsum_impl::contraction_path path;
    bool cheapest = true; ///< of the paths found; false where it did not fit the workspace limit
    double flops_at_once = 0; ///< of all loops together, without intermediates
};

/// Plans the cheapest path that fits the workspace limit: every step takes what the intermediates
/// that live then leave of it. Throws what make_plan() does.
sequence make_sequence(const contraction_spec &spec, std::span<const input> inputs, const input &c,
                       const output &d, const contract_options &options);

/// What the sequence will do, in numbers.
plan_summary summarise(const sequence &steps, std::span<const input> inputs, const output &d);

} // namespace tenfold::contract_impl
