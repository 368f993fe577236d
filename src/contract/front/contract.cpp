// Expressions: make_plan() from one; contract(), which makes a plan for its call, or finds it in
// the plan cache, and executes it.
#include <tenfold/contract.hpp>

#include <array>
#include <utility>
#include <vector>

#include "base/context_of.hpp"
#include "base/log.hpp"
#include "base/plan_cache.hpp"
#include "base/work.hpp"
#include "contract/front/one_shot.hpp"
#include "contract/front/plan_state.hpp"
#include "contract/front/small_matrices.hpp"
#include "einsum/parser/notations.hpp"
#include "einsum/problem/as_assignment.hpp"
#include "einsum/problem/checks.hpp"
#include "tuning/wisdom.hpp"

namespace tenfold {
namespace {

using contract_impl::argument;
using contract_impl::call_text;
using contract_impl::key_of;
using contract_impl::last_tensor;
using contract_impl::one_shot;
using contract_impl::output_argument;

struct call_expression {
    contraction_spec spec;
    std::size_t inputs; ///< so many of the tensors before D; one more is C
};

/// Reads an expression once. `orders`: how many modes each tensor before D has. Throws as parse().
call_expression parse_call(std::string_view expression, std::span<const int> orders,
                           last_tensor last) {
    const einsum_impl::written_expression written = einsum_impl::read_expression(expression);
    const bool ends_with_c =
        last == last_tensor::c || (last == last_tensor::as_expressed && written.inputs.size() != 3);
    const std::size_t inputs = orders.size() - (ends_with_c ? 1 : 0);
    return {einsum_impl::resolve(expression, written, orders.first(inputs)), inputs};
}

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

/// The cached part of a call.
struct planned {
    contraction_plan plan;
    std::size_t inputs;
    contraction_spec::update operation;
};

/// The expression, for messages.
std::string text_of(const call_text &text) {
    return text.spec == nullptr ? std::string(text.expression) : einsum_impl::text_of(*text.spec);
}

/// beta from the options or the expression.
scalar beta_of(contraction_spec::update operation, const one_shot &call) {
    using update = contraction_spec::update;
    if (operation == update::assign)
        return call.options.beta.value_or(0.0);
    if (call.options.beta)
        throw error(errc::invalid_argument, "'" + text_of(call.text) + "' sets beta to 1 by its '" +
                                                (operation == update::add ? "+" : "-") +
                                                "='; do not give beta as well");
    return 1.0;
}

call_expression read_call(const one_shot &call) {
    if (call.text.spec != nullptr) {
        einsum_impl::check_spec(*call.text.spec); // before text_of() uses them
        return {*call.text.spec, call.tensors.size() - (call.last == last_tensor::c ? 1 : 0)};
    }
    std::vector<int> orders;
    orders.reserve(call.tensors.size());
    for (const argument &one : call.tensors)
        orders.push_back(one.order());
    return parse_call(call.text.expression, orders, call.last);
}

planned make_planned(const one_shot &call) {
    call_expression read = read_call(call);
    const contraction_spec::update operation = read.spec.operation;
    static_cast<void>(beta_of(operation, call)); // a mistake in the call goes before others
    std::vector<input> inputs;
    inputs.reserve(read.inputs);
    for (const argument &one : call.tensors.first(read.inputs))
        inputs.push_back(one.make());
    const output d = call.d.make();
    const input c = read.inputs < call.tensors.size() ? call.tensors.back().make() : d;
    contract_options options = call.options;
    options.alpha = 1.0;
    options.beta = std::nullopt;
    options.control = nullptr;
    options.record = nullptr;
    return {contract_impl::make_plain_plan(einsum_impl::as_assignment(std::move(read.spec)), inputs,
                                           c, d, options),
            inputs.size(), operation};
}

status execute_unwatched(const planned &how, const one_shot &call) {
    const scalar alpha = call.options.alpha, beta = beta_of(how.operation, call);
    const std::span inputs = call.tensors.first(how.inputs);
    void *const d = call.d.data();
    const void *const c = how.inputs < call.tensors.size() ? call.tensors.back().data() : d;
    execution_record *const record = call.options.record;
    if (inputs.size() == 2 && record == nullptr && call.options.epilogue == nullptr)
        // avoids an allocation
        return how.plan.execute(alpha, inputs[0].data(), inputs[1].data(), beta, c, d);
    std::vector<const void *> data;
    for (const argument &one : inputs)
        data.push_back(one.data());
    std::vector<const void *> of_steps;
    if (call.options.epilogue != nullptr)
        of_steps = call.options.epilogue->data();
    return how.plan.execute({alpha, data, beta, c, d, of_steps}, {.record = record});
}

/// Operands of one name are one tensor. Their types and layouts were compared when the plan was
/// made, and are part of its key.
void check_shared_names(const planned &how, const one_shot &call) {
    const auto at = [&](std::size_t number) -> const void * {
        return number < how.inputs ? call.tensors[number].data() : call.d.data();
    };
    for (const einsum_impl::shared_name &shared : contract_impl::whole_of(how.plan).shared_names)
        if (at(shared.first) != at(shared.second))
            einsum_impl::refuse_two_tensors(text_of(call.text), how.inputs, shared,
                                            "they lie in two places");
}

/// Throws if the call fails or is stopped.
void execute(const planned &how, const one_shot &call) {
    check_shared_names(how, call);
    if (call.options.control == nullptr)
        return execute_unwatched(how, call).throw_if_failed();
    base::watched_call watched(call.options.control, how.plan.summary().seconds);
    watched.finish(watched.stops() ? status() : execute_unwatched(how, call));
}

void run(one_shot call) {
    const context &ctx = base::context_of(call.options);
    if (contract_impl::multiply_if_small_matrices(call, ctx))
        return;
    if (!ctx.settings().wisdom.empty())
        call.wisdom_learned = tuning_impl::wisdom_learned();
    const base::plan_key key = key_of(call);
    if (const auto *known = base::plans_of(ctx).find<planned>(key))
        return execute(*known, call);
    const auto made = std::make_shared<const planned>(make_planned(call));
    const std::size_t dropped =
        base::plans_of(ctx).keep(key, made, sizeof(planned) + contract_impl::footprint(made->plan));
    if (dropped > 0)
        base::log(ctx.settings(), base::log_level::debug,
                  "plan cache: " + std::to_string(dropped) + " dropped for " + text_of(call.text));
    execute(*made, call);
}

/// The tensors of a call in arrays of its own: the inputs, then C where it is not D. A few need no
/// allocation.
class arguments {
public:
    template <class Tensor>
    explicit arguments(std::span<const Tensor> inputs, const Tensor *c = nullptr)
        : count_(inputs.size() + (c != nullptr ? 1 : 0)) {
        if (count_ > few_.size())
            many_.resize(count_);
        argument *next = many_.empty() ? few_.data() : many_.data();
        for (const Tensor &one : inputs)
            *next++ = argument(one);
        if (c != nullptr)
            *next = argument(*c);
    }

    operator std::span<const argument>() const noexcept {
        return {many_.empty() ? few_.data() : many_.data(), count_};
    }

private:
    std::size_t count_;
    std::array<argument, 4> few_;
    std::vector<argument> many_; ///< all, if they are more
};

} // namespace

contraction_plan make_plan(std::string_view expression, const input &a, const input &b,
                           const output &c, const contract_options &options) {
    if (auto small = contract_impl::make_small_plan(expression, a, b, c, options))
        return contract_impl::plan_from(std::move(*small));
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

void contract(std::string_view expression, const input &a, const input &b, const output &c,
              const contract_options &options) {
    run({expression, std::array{argument(a), argument(b)}, last_tensor::input, output_argument(c),
         options});
}

void contract(std::string_view expression, const input &a, const input &b, const input &c,
              const output &d, const contract_options &options) {
    run({expression, std::array{argument(a), argument(b), argument(c)}, last_tensor::as_expressed,
         output_argument(d), options});
}

void contract(std::string_view expression, const input &a, const output &c,
              const contract_options &options) {
    run({expression, std::array{argument(a)}, last_tensor::input, output_argument(c), options});
}

void contract(std::string_view expression, std::span<const input> inputs, const output &c,
              const contract_options &options) {
    run({expression, arguments(inputs), last_tensor::input, output_argument(c), options});
}

void contract(std::string_view expression, std::span<const input> inputs, const input &c,
              const output &d, const contract_options &options) {
    run({expression, arguments(inputs, &c), last_tensor::c, output_argument(d), options});
}

void contract(const contraction_spec &spec, std::span<const input> inputs, const output &c,
              const contract_options &options) {
    run({spec, arguments(inputs), last_tensor::input, output_argument(c), options});
}

void contract(const contraction_spec &spec, std::span<const input> inputs, const input &c,
              const output &d, const contract_options &options) {
    run({spec, arguments(inputs, &c), last_tensor::c, output_argument(d), options});
}

void contract(std::string_view expression, std::span<const input_arrays> inputs,
              const input_arrays *c, const output_arrays &d, const contract_options &options) {
    run({expression, arguments(inputs, c), c != nullptr ? last_tensor::c : last_tensor::input,
         output_argument(d), options});
}

} // namespace tenfold
