#include "compat/tapp/form.hpp"

#include <utility>

#include "compat/tapp/types.hpp"

namespace tenfold::tapp_impl {
namespace {

constexpr std::size_t A = 0, B = 1, C = 2, D = 3;

/// Puts the form together, tensor by tensor.
class form_maker {
public:
    explicit form_maker(const product_request &request) : request_(request) {
        for (std::size_t t = A; t <= D; ++t) {
            tensors_[t] = numbers_.labelled(request.tensors[t]);
            types_[t] = tensors_[t].type;
            conjugated_[t] = conjugates(request.ops[t], types_[t], request.tensors[t].name);
        }
    }

    product_form make() {
        return {.spec = spec(),
                .a = planned(A),
                .b = planned(B),
                .c = planned(C),
                .d = output(types_[D], nullptr, tensors_[D].shape()),
                .scalar_type = types_[D],
                .f64_sums = real_type_of(computed_in(types_, request_.precision)) == data_type::f64,
                .conj_output = conjugated_[D]};
    }

private:
    input planned(std::size_t t) const {
        input made(types_[t], nullptr, tensors_[t].shape());
        return conjugated_[t] ? conj(std::move(made)) : made;
    }

    contraction_spec spec() const {
        contraction_spec made;
        made.inputs = {tensors_[A].labels, tensors_[B].labels};
        made.output = tensors_[D].labels;
        made.label_names = numbers_.names();
        made.operand_names = {"A", "B", "D"};
        return made;
    }

    const product_request &request_;
    label_numbers numbers_;
    std::array<labelled_tensor, 4> tensors_;
    std::array<data_type, 4> types_{};
    std::array<bool, 4> conjugated_{};
};

} // namespace

product_form form_of(const product_request &request) {
    check_rules(request.tensors);
    return form_maker(request).make();
}

} // namespace tenfold::tapp_impl
