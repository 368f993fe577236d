// The steps of a sequence and the tensors between them, before anything is planned.
#pragma once

#include <optional>
#include <vector>

#include <tenfold/operand.hpp>

#include "einsum/path/path.hpp"

namespace tenfold::contract_impl {

/// The origin of an operand of a step.
struct operand_place {
    bool is_input;      ///< of the whole expression; otherwise it is an intermediate
    std::size_t number; ///< index among inputs or intermediates
};

/// A contraction of two tensors, or a sum of one.
struct drafted_step {
    contraction_spec spec;
    std::vector<operand_place> operands; ///< one or two
    std::optional<std::size_t> result;   ///< an intermediate; empty: D

    bool is_last() const noexcept { return !result.has_value(); }
};

/// A dense tensor between steps, written once and read once.
struct drafted_intermediate {
    std::vector<label_t> labels; ///< fastest first
    layout shape;
    data_type type;
    byte_count size; ///< a multiple of 64
    std::size_t written_by = 0, read_by = 0;
};

struct sequence_draft {
    std::vector<drafted_step> steps;
    std::vector<drafted_intermediate> intermediates;
};

/// D, and the type in which everything before it is computed.
struct typed_output {
    const output &d;
    data_type intermediates;
};

/// Drafts the steps of a path. An input of another type than that of the intermediates is converted
/// in its step. Throws errc::overflow and errc::unsupported (too many modes)
/// for intermediates.
sequence_draft make_draft(const contraction_spec &spec, std::span<const input> inputs,
                          const typed_output &d, const einsum_impl::network &net,
                          const einsum_impl::contraction_path &path);

} // namespace tenfold::contract_impl
