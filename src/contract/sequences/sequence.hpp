// Contractions of more than two inputs: a sequence of plans for two tensors (or one), with the
// intermediates in one block of workspace.
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
    index_t workspace_offset; ///< of the plan's own workspace while it runs
};

struct sequence {
    std::vector<sequence_step> steps; ///< the last one writes D
    std::vector<drafted_intermediate> intermediates;
    std::vector<index_t> offsets; ///< of the intermediates in the workspace
    byte_count workspace;         ///< the total

    std::vector<layout> input_elements; ///< the elements that are read: one mode per label
    std::vector<data_type> input_types;
    /// Some extent is 0: the only step computes D = beta op(C) and reads no input.
    bool empty = false;

    einsum_impl::contraction_path path;
    bool cheapest = true;     ///< of the paths found; false if that one exceeds the workspace limit
    double flops_at_once = 0; ///< of a single loop nest over all labels, without intermediates
};

/// The number by which a status identifies an input; 0 from the 65th on.
constexpr char number_of_input(std::size_t input) noexcept {
    return input < 64 ? static_cast<char>(input + 1) : char{0};
}

/// Plans the cheapest path that fits the workspace limit. Every step gets the part of the limit
/// that the intermediates alive at that time leave. Throws as make_plan() does.
sequence make_sequence(const contraction_spec &spec, std::span<const input> inputs, const input &c,
                       const output &d, const contract_options &options);

/// Bytes of memory that the steps and intermediates occupy, about.
std::size_t footprint(const sequence &steps) noexcept;

/// The summary of a sequence, in numbers.
plan_summary summarise(const sequence &steps, std::span<const input> inputs, const output &d);

} // namespace tenfold::contract_impl
