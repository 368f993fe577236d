// What the steps of a sequence are and which tensors go between them, before anything is planned.
#pragma once

#include <optional>
#include <vector>

#include <tenfold/operand.hpp>

#include "einsum/path/path.hpp"

namespace tenfold::contract_impl {

/// Where an operand of a step comes from.
struct operand_place {
    bool is_input;      ///< of the whole expression; else an intermediate
    std::size_t number; ///< among its kind
};

/// A contraction of two tensors, or a sum over one (or its conversion to the type of
/// intermediates).
struct drafted_step {
    contraction_spec spec;
    std::vector<operand_place> operands; ///< one or two
    std::optional<std::size_t> result;   ///< an intermediate; none: D

    bool is_last() const noexcept { return !result.has_value(); }
};

/// Dense; written by one step and read by one.
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

/// Intermediates have D's type. An input of half precision that meets one is converted before.
/// Throws errc::overflow and errc::unsupported (too many modes) for intermediates.
sequence_draft make_draft(const contraction_spec &spec, std::span<const input> inputs,
                          const output &d, const einsum_impl::network &net,
                          const einsum_impl::contraction_path &path);

} // namespace tenfold::contract_impl
