// make_plan() from an expression.
#include "contract/front/plan_expression.hpp"

#include <array>
#include <vector>

#include "einsum/parser/notations.hpp"

namespace tenfold {
namespace contract_impl {

contraction_spec parse_for(std::string_view expression, std::span<const input> inputs) {
    std::vector<int> orders;
    for (const input &one : inputs)
        orders.push_back(one.shape().order());
    return parse(expression, orders);
}

bool has_three_inputs(std::string_view expression) {
    return einsum_impl::read_expression(expression).inputs.size() == 3;
}

} // namespace contract_impl

namespace {

using contract_impl::has_three_inputs;
using contract_impl::parse_for;

contraction_plan plan_expression(std::string_view expression, std::span<const input> inputs,
                                 const input &c, const output &d, const contract_options &options) {
    return make_plan(parse_for(expression, inputs), inputs, c, d, options);
}

} // namespace

contraction_plan make_plan(std::string_view expression, const input &a, const input &b,
                           const output &c, const contract_options &options) {
    return plan_expression(expression, std::array{a, b}, c, c, options);
}

contraction_plan make_plan(std::string_view expression, const input &a, const input &b,
                           const input &c, const output &d, const contract_options &options) {
    if (has_three_inputs(expression))
        return plan_expression(expression, std::array{a, b, c}, d, d, options);
    return plan_expression(expression, std::array{a, b}, c, d, options);
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
