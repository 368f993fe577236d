// Tensors of TBLIS's as operands of contract().
#pragma once

#include <span>

#include <tenfold/contract.hpp>

#include "compat/tblis/labels.hpp"
#include "compat/tblis/scalars.hpp"

namespace tenfold::tblis_impl {

/// Conjugation changes nothing in a real tensor; without it such calls share their plans.
inline bool conjugates(const tblis::tblis_tensor &tensor, data_type type) noexcept {
    return tensor.conj != 0 && is_complex(type);
}

inline input as_input(const tblis::tblis_tensor &tensor, labelled_modes &modes) {
    const data_type type = data_type_for(tensor.type);
    input operand(type, tensor.data, modes.take_layout());
    if (conjugates(tensor, type))
        return conj(std::move(operand));
    return operand;
}

inline output as_output(const tblis::tblis_tensor &tensor, labelled_modes &modes) {
    return {data_type_for(tensor.type), tensor.data, modes.take_layout()};
}

/// The tensors of a call have one type. Throws errc::type_mismatch where the second one, which
/// messages call by its name, has another type than A.
void check_type(const tblis::tblis_tensor &a, const tblis::tblis_tensor &other, const char *name);

/// target = alpha (product of the inputs) + beta op(target), where op conjugates if the tensor says
/// so, and the diagonal is written where a label is repeated. `d` is the target as an output.
void contract_into(const tblis::tblis_tensor &target, const output &d, const contraction_spec &spec,
                   std::span<const input> inputs, contract_options options);

} // namespace tenfold::tblis_impl
