#include "compat/tblis/operands.hpp"

#include <string>

namespace tenfold::tblis_impl {

void check_type(const tblis::tblis_tensor &a, const tblis::tblis_tensor &other, const char *name) {
    const data_type of_a = data_type_for(a.type), of_other = data_type_for(other.type);
    if (of_a != of_other)
        throw error(
            errc::type_mismatch,
            "A is " + std::string(tenfold::name(of_a)) + " and " + name + " is " +
                std::string(tenfold::name(of_other)) + "; the tensors of a call have one type",
            {.first = {.name = "A", .type = of_a}, .second = {.name = name, .type = of_other}});
}

void contract_into(const tblis::tblis_tensor &target, const output &d, const contraction_spec &spec,
                   std::span<const input> inputs, contract_options options) {
    // By the interface's name; contract() calls every output D.
    if (target.data == nullptr && d.shape().size() > 0)
        status(errc::null_pointer, spec.operand_names.back().front()).throw_if_failed();
    options.diagonal_output = true;
    if (conjugates(target, d.type()))
        contract(spec, inputs, conj(input(d)), d, options);
    else
        contract(spec, inputs, d, options);
}

} // namespace tenfold::tblis_impl
