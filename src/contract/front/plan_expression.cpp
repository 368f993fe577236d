// make_plan() from an expression.
#include "contract/front/plan_expression.hpp"

#include <array>
#include <vector>

#include <tenfold/contract.hpp>

#include "einsum/parser/notations.hpp"

namespace tenfold {
namespace contract_impl {

call_expression parse_call(std::string_view expression, std::span<const int> orders,
                           last_tensor last) {
    const einsum_impl::written_expression written = einsum_impl::read_expression(expression);
    const bool ends_with_c =
        last == last_tensor::c || (last == last_tensor::as_expressed && written.inputs.size() != 3);
    const std::size_t inputs = orders.size() - (ends_with_c ? 1 : 0);
    return {einsum_impl::resolve(expression, written, orders.first(inputs)), inputs};
}

} // namespace contract_impl

namespace {

using contract_impl::last_tensor;
using contract_impl::parse_call;

std::vector<int> orders_of(std::span<const input> tensors) {
    std::vector<int> orders;
    for (const input &one : tensors)
        orders.push_back(one.shape().order());
    return orders;
}

contraction_plan plan_expression(std::string_view expression, std::span<const input> inputs,
                                 const input &c, const output &d, const contract_options &options) {
    const auto call = parse_call(expression, orders_of(inputs), last_tensor::input);
    return make_plan(call.spec, inputs, c, d, options);
}

} // namespace

contraction_plan make_plan(std::string_view expression, const input &a, const input &b,
                           const output &c, const contract_options &options) {
    return plan_expression(expression, std::array{a, b}, c, c, options);
}

contraction_plan make_plan(std::string_view expression, const input &a, const input &b,
                           const input &c, const output &d, const contract_options &options) {
    const std::array tensors{a, b, c};
    const auto call = parse_call(expression, orders_of(tensors), last_tensor::as_expressed);
    const std::span inputs = std::span<const input>(tensors).first(call.inputs);
    return make_plan(call.spec, inputs, call.inputs == tensors.size() ? d : c, d, options);
}

contraction_plan make_plan(std::string_view expression, const input &a, const output &c,
                           const contract_options &options) {
    return plan_expression(expression, std::array{a}, c, c, options);
}

contraction_plan make_plan(std::string_view expression, std::span<const input> inputs,
                           const output &c, const contract_options &options) {
    return plan_expression(expression, inputs, c, c, options);
}

contraction_plan make_plan(std::string_view expression, std::span<const input> inputs,
                           const input &c, const output &d, const contract_options &options) {
    return plan_expression(expression, inputs, c, d, options);
}

} // namespace tenfold
