// Plans of contractions, their execution, and contractions in one call.
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "capi/convert.hpp"
#include "capi/executor.hpp"
#include "capi/handles.hpp"
#include "capi/structs.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::contract_options;
using tenfold::contraction_spec;
using tenfold::input;
using tenfold::output;
using tenfold::scalar;

contract_options options_of(const tenfold_context &context, const tenfold_contract_options *given) {
    if (given == nullptr)
        return {.ctx = context.shared.get()};
    const tenfold_contract_options own = taken(given, "contract options");
    return {.algorithm = enumerator_of<tenfold::algorithm>(own.algorithm, "algorithm"),
            .tuning = enumerator_of<tenfold::tuning>(own.tuning, "tuning"),
            .workspace_limit = limit_of(own.workspace_limit),
            .backend = choice_of<tenfold::backend>(own.backend, "backend"),
            .threads = own.threads,
            .reproducible = choice_of(own.reproducible, "reproducible"),
            .bf16_sums = enumerator_of<tenfold::bf16_sums>(own.bf16_sums, "bf16_sums"),
            .f64_sums = own.f64_sums != 0,
            .diagonal_output = own.diagonal_output != 0,
            .conj_output = own.conj_output != 0,
            .broadcast = own.broadcast != 0,
            .path = path_of(own.path),
            .ctx = context.shared.get(),
            .epilogue = own.epilogue != nullptr ? &own.epilogue->steps : nullptr};
}

tensor_name input_name(std::size_t index, std::size_t count) {
    return {.index = static_cast<std::int32_t>(index), .count = static_cast<std::int32_t>(count)};
}

/// `data` may be null: a plan needs none.
std::vector<input> inputs_of(const tenfold_operands &operands, const void *const *data) {
    const auto count = static_cast<std::size_t>(operands.input_count);
    std::vector<input> inputs;
    for (std::size_t i = 0; i < count; ++i)
        inputs.push_back(input_of(operands.inputs[i], data != nullptr ? data[i] : nullptr,
                                  input_name(i, count)));
    return inputs;
}

contraction_spec spec_of(const tenfold_label_lists *labels, const tenfold_operands &operands) {
    return tenfold::parse(lists_of(labels), orders_of(operands.inputs, operands.input_count));
}

/// By step; null of those that call none.
std::vector<tenfold_run_function> functions_of(const tenfold::contraction_epilogue *epilogue) {
    std::vector<tenfold_run_function> functions;
    if (epilogue == nullptr)
        return functions;
    for (const tenfold::contraction_step &step : epilogue->steps())
        functions.push_back(step.operation.kind == tenfold::epilogue_step::what::call
                                ? static_cast<const run_call *>(step.operation.context)->function
                                : nullptr);
    return functions;
}

/// The data of a plan's epilogue in one execution, with callers' functions and what they are given.
class epilogue_data {
public:
    epilogue_data(const tenfold_contraction_plan &plan, const tenfold_execute_options &options) {
        if (options.epilogue_count < 0 ||
            options.epilogue_count > tenfold::contraction_epilogue::most_steps)
            refuse("epilogue_count is " + std::to_string(options.epilogue_count) +
                   "; an epilogue has 0 to " +
                   std::to_string(tenfold::contraction_epilogue::most_steps) + " steps");
        count_ = static_cast<std::size_t>(options.epilogue_count);
        if (count_ > 0)
            require(options.epilogue_data, "epilogue_data");
        for (std::size_t i = 0; i < count_; ++i) {
            data_[i] = options.epilogue_data[i];
            if (i >= plan.functions.size() || plan.functions[i] == nullptr)
                continue;
            calls_[i] = {plan.functions[i], const_cast<void *>(data_[i])};
            data_[i] = &calls_[i];
        }
    }
    epilogue_data(const epilogue_data &) = delete;
    epilogue_data &operator=(const epilogue_data &) = delete;

    std::span<const void *const> get() const noexcept { return std::span(data_).first(count_); }

private:
    std::size_t count_ = 0;
    std::array<const void *, tenfold::contraction_epilogue::most_steps> data_{};
    std::array<run_call, tenfold::contraction_epilogue::most_steps> calls_;
};

/// `what` is an expression or a spec.
template <class What> tenfold_contraction_plan *make_plan(const tenfold_context &context,
                                                          const What &what,
                                                          const tenfold_operands &operands,
                                                          const tenfold_contract_options *options) {
    const contract_options chosen = options_of(context, options);
    const std::vector<input> inputs = inputs_of(operands, nullptr);
    const output d = output_of(*operands.d, nullptr, {"D"});
    const bool has_c = operands.c != nullptr;
    const input c = has_c ? input_of(*operands.c, nullptr, {"C"}) : input(d);
    std::unique_ptr<tenfold_contraction_plan> made(new tenfold_contraction_plan{
        context.shared, tenfold::make_plan(what, inputs, c, d, chosen), has_c});
    made->functions = functions_of(chosen.epilogue);
    return made.release();
}

void contract_arrays(const char *expression, std::span<const tenfold::input_arrays> inputs,
                     const tenfold_operands &operands, const tenfold_data &data,
                     const contract_options &options) {
    const auto d = arrays_of_output(*operands.d, data.d, {"D"});
    if (operands.c == nullptr)
        return tenfold::contract(expression, inputs, nullptr, d, options);
    const auto c = arrays_of(*operands.c, data.c, {"C"});
    tenfold::contract(expression, inputs, &c, d, options);
}

/// Allocates nothing for two inputs, as small products should cost little. Their arrays are made in
/// their place: a copy would read by wide loads what narrower stores have just written, for which
/// the processor waits.
void contract_now(const char *expression, const tenfold_operands &operands,
                  const tenfold_data &data, const contract_options &options) {
    const auto count = static_cast<std::size_t>(operands.input_count);
    const auto arrays_at = [&](std::size_t i) {
        return arrays_of(operands.inputs[i], data.inputs[i], input_name(i, count));
    };
    if (count <= 2) {
        const std::array few{arrays_at(0), arrays_at(count - 1)};
        return contract_arrays(expression, std::span(few).first(count), operands, data, options);
    }
    std::vector<tenfold::input_arrays> inputs;
    inputs.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        inputs.push_back(arrays_at(i));
    contract_arrays(expression, inputs, operands, data, options);
}

void contract_now(const contraction_spec &spec, const tenfold_operands &operands,
                  const tenfold_data &data, const contract_options &options) {
    const std::vector<input> inputs = inputs_of(operands, data.inputs);
    const output d = output_of(*operands.d, data.d, {"D"});
    if (operands.c == nullptr)
        return tenfold::contract(spec, inputs, d, options);
    tenfold::contract(spec, inputs, input_of(*operands.c, data.c, {"C"}), d, options);
}

/// The arguments of a contraction in one call, beside what it computes.
struct call_arguments {
    const tenfold_operands *operands;
    const tenfold_data *data;
    const tenfold_contract_options *options;
    const tenfold_execute_options *execute_options;
};

void check_call(const call_arguments &call) {
    check(call.operands);
    check(call.data);
    if (call.data->input_count != call.operands->input_count)
        refuse("data has " + std::to_string(call.data->input_count) + " inputs, operands have " +
               std::to_string(call.operands->input_count));
}

template <class What>
void contract(const tenfold_context &context, const What &what, const call_arguments &call) {
    if (call.execute_options == nullptr) // products may take only nanoseconds
        return contract_now(what, *call.operands, *call.data, options_of(context, call.options));
    const tenfold_execute_options own = taken(call.execute_options, "execute options");
    taken_executor with(own, executes::one_call);
    contract_options chosen = options_of(context, call.options);
    chosen.alpha = scalar_or(own.alpha, 1.0);
    if (own.beta != nullptr)
        chosen.beta = scalar_or(own.beta, 0.0);
    chosen.control = with.control();
    chosen.record = with.record();
    contract_now(what, *call.operands, *call.data, chosen);
    with.give_record();
}

} // namespace

tenfold_error tenfold_contraction_create(const tenfold_context *context, const char *expression,
                                         const tenfold_operands *operands,
                                         const tenfold_contract_options *options,
                                         tenfold_contraction_plan **plan) {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(context, "context");
        require(expression, "expression");
        check(operands);
        *plan = make_plan(*context, std::string_view(expression), *operands, options);
    });
}

tenfold_error tenfold_contraction_create_from_labels(const tenfold_context *context,
                                                     const tenfold_label_lists *labels,
                                                     const tenfold_operands *operands,
                                                     const tenfold_contract_options *options,
                                                     tenfold_contraction_plan **plan) {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(context, "context");
        require(labels, "labels");
        check(operands);
        *plan = make_plan(*context, spec_of(labels, *operands), *operands, options);
    });
}

void tenfold_contraction_destroy(tenfold_contraction_plan *plan) { delete plan; }

tenfold_error tenfold_contraction_execute(const tenfold_contraction_plan *plan,
                                          const tenfold_data *data,
                                          const tenfold_execute_options *options) {
    return guarded([&]() -> tenfold::status {
        require(plan, "plan");
        check(data);
        const std::span inputs(data->inputs, static_cast<std::size_t>(data->input_count));
        const void *const c = plan->has_c ? data->c : data->d;
        if (options == nullptr) // products may take only nanoseconds
            return plan->plan.execute(1.0, inputs, 0.0, c, data->d);
        const tenfold_execute_options own = taken(options, "execute options");
        const taken_executor with(own, executes::a_plan);
        const scalar alpha = scalar_or(own.alpha, 1.0), beta = scalar_or(own.beta, 0.0);
        if (with.is_plain() && own.epilogue_count == 0)
            return plan->plan.execute(alpha, inputs, beta, c, data->d, with.get().workspace,
                                      with.control());
        const epilogue_data of_steps(*plan, own);
        const tenfold::status done =
            plan->plan.execute({alpha, inputs, beta, c, data->d, of_steps.get()}, with.get());
        with.give_record();
        return done;
    });
}

tenfold_error tenfold_contract(const tenfold_context *context, const char *expression,
                               const tenfold_operands *operands, const tenfold_data *data,
                               const tenfold_contract_options *options,
                               const tenfold_execute_options *execute_options) {
    return guarded([&] {
        require(context, "context");
        require(expression, "expression");
        const call_arguments call{operands, data, options, execute_options};
        check_call(call);
        contract(*context, expression, call);
    });
}

tenfold_error tenfold_contract_labels(const tenfold_context *context,
                                      const tenfold_label_lists *labels,
                                      const tenfold_operands *operands, const tenfold_data *data,
                                      const tenfold_contract_options *options,
                                      const tenfold_execute_options *execute_options) {
    return guarded([&] {
        require(context, "context");
        require(labels, "labels");
        const call_arguments call{operands, data, options, execute_options};
        check_call(call);
        contract(*context, spec_of(labels, *operands), call);
    });
}
