#include "compat/tblis/operands.hpp"

namespace tenfold::tblis_impl {

void contract_into(const tblis::tblis_tensor &target, const output &d, const contraction_spec &spec,
                   std::span<const input> inputs, contract_options options) {
    options.diagonal_output = true;
    if (conjugates(target, d.type()))
        contract(spec, inputs, conj(input(d)), d, options);
    else
        contract(spec, inputs, d, options);
}

} // namespace tenfold::tblis_impl
