// The calls of <tenfold/contract.hpp> that start from an expression.
#include <tenfold/contract.hpp>

#include <vector>

#include "einsum/parser_notations.hpp"

namespace tenfold {
namespace {

contraction_spec parse_for(std::string_view expression, std::span<const input> inputs) {
    std::vector<int> orders;
    for (const input &one : inputs)
        orders.push_back(one.shape().order());
    return parse(expression, orders);
}

/// beta as the options or the expression give it.
scalar beta_of(const contraction_spec &spec, const contract_options &options) {
    using update = contraction_spec::update;
    if (spec.operation == update::assign)
        return options.beta.value_or(0.0);
    if (options.beta)
        throw error(errc::invalid_argument, "'" + spec.text + "' sets beta to 1 by its '" +
                                                (spec.operation == update::add ? "+" : "-") +
                                                "='; do not give beta as well");
    return 1.0;
}

void plan_and_execute(std::string_view expression, std::span<const input> inputs, const input &c,
                      const output &d, const contract_options &options) {
    const contraction_spec spec = parse_for(expression, inputs);
    const scalar beta = beta_of(spec, options);
    const contraction_plan plan = make_plan(spec, inputs, c, d, options);
    std::vector<const void *> data;
    for (const input &one : inputs)
        data.push_back(one.data());
    plan.execute(options.alpha, data, beta, c.data(), d.data()).throw_if_failed();
}

/// A plan takes alpha and beta when it is executed; here they would be lost without a word.
contraction_plan plan_expression(std::string_view expression, std::span<const input> inputs,
                                 const input &c, const output &d, const contract_options &options) {
    if (options.alpha != 1.0 || options.beta)
        throw error(errc::invalid_argument,
                    "make_plan() takes no alpha and beta: give them to execute()");
    return make_plan(parse_for(expression, inputs), inputs, c, d, options);
}

/// Four tensors are two inputs, C and D, or three inputs and D: the expression knows.
bool has_three_inputs(std::string_view expression) {
    return einsum_impl::read_expression(expression).inputs.size() == 3;
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

void contract(std::string_view expression, const input &a, const input &b, const output &c,
              const contract_options &options) {
    plan_and_execute(expression, std::array{a, b}, c, c, options);
}

void contract(std::string_view expression, const input &a, const input &b, const input &c,
              const output &d, const contract_options &options) {
    if (has_three_inputs(expression))
        plan_and_execute(expression, std::array{a, b, c}, d, d, options);
    else
        plan_and_execute(expression, std::array{a, b}, c, d, options);
}

void contract(std::string_view expression, const input &a, const output &c,
              const contract_options &options) {
    plan_and_execute(expression, std::array{a}, c, c, options);
}

void contract(std::string_view expression, std::span<const input> inputs, const output &c,
              const contract_options &options) {
    plan_and_execute(expression, inputs, c, c, options);
}

void contract(std::string_view expression, std::span<const input> inputs, const input &c,
              const output &d, const contract_options &options) {
    plan_and_execute(expression, inputs, c, d, options);
}

} // namespace tenfold
