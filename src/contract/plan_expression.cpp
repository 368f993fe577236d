// make_plan() from an expression.
#include "contract/plan_expression.hpp"

#include <array>
#include <vector>

#include "einsum/parser_notations.hpp"

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

/// A plan takes beta when it is executed: what the expression says of it would be lost.
void refuse_update(const contraction_spec &spec) {
    using update = contraction_spec::update;
    if (spec.operation == update::assign)
        return;
    const bool adds = spec.operation == update::add;
    throw error(errc::invalid_argument,
                "'" + spec.text + "' sets beta to 1 by its '" + (adds ? "+" : "-") +
                    "=', but a plan takes beta from execute(): write '=', and give beta = 1 there" +
                    (adds ? "" : ", with alpha negated"));
}

/// A plan takes alpha and beta when it is executed; here they would be lost without a word.
contraction_plan plan_expression(std::string_view expression, std::span<const input> inputs,
                                 const input &c, const output &d, const contract_options &options) {
    if (options.alpha != 1.0 || options.beta)
        throw error(errc::invalid_argument,
                    "make_plan() takes no alpha and beta: give them to execute()");
    const contraction_spec spec = parse_for(expression, inputs);
    refuse_update(spec);
    return make_plan(spec, inputs, c, d, options);
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
