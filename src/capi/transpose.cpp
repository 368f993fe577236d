#include <optional>
#include <span>

#include "capi/convert.hpp"
#include "capi/executor.hpp"
#include "capi/handles.hpp"
#include "capi/structs.hpp"

using namespace tenfold::capi_impl;

namespace {

tenfold::transpose_options options_of(const tenfold_context &context,
                                      const tenfold_transpose_options &own) {
    return {.tuning = enumerator_of<tenfold::tuning>(own.tuning, "tuning"),
            .tuning_seconds =
                own.tuning_seconds != 0 ? std::optional(own.tuning_seconds) : std::nullopt,
            .threads = own.threads,
            .ctx = context.shared.get(),
            .bypass_caches = choice_of(own.bypass_caches, "bypass_caches")};
}

} // namespace

tenfold_error tenfold_transpose_create(const tenfold_context *context, const int32_t *permutation,
                                       const tenfold_tensor *a, const tenfold_tensor *b,
                                       const tenfold_transpose_options *options,
                                       tenfold_transpose_plan **plan) {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(context, "context");
        require(a, "a");
        require(b, "b");
        const tenfold::input from = input_of(*a, nullptr, {"A"});
        const tenfold::output to = output_of(*b, nullptr, {"B"});
        if (b->order > 0)
            require(permutation, "permutation");
        const tenfold_transpose_options own = taken(options, "transpose options");
        tenfold::transpose_options chosen = options_of(*context, own);
        if (own.beta != nullptr)
            chosen.beta = scalar_or(own.beta, 0.0);
        const std::span<const int> modes(permutation, static_cast<std::size_t>(b->order));
        *plan = new tenfold_transpose_plan{
            context->shared, tenfold::transpose_plan(modes, from.type(), from.shape(), to.type(),
                                                     to.shape(), from.conjugated(), chosen)};
    });
}

void tenfold_transpose_destroy(tenfold_transpose_plan *plan) { delete plan; }

tenfold_error tenfold_transpose_execute(const tenfold_transpose_plan *plan, const void *a, void *b,
                                        const tenfold_execute_options *options) {
    return guarded([&]() -> tenfold::status {
        require(plan, "plan");
        const tenfold_execute_options own = taken(options, "execute options");
        refuse_others(own, executes::no_contraction);
        const taken_control control(own.control);
        return plan->plan.execute(scalar_or(own.alpha, 1.0), a, scalar_or(own.beta, 0.0), b,
                                  control.get());
    });
}

tenfold_error tenfold_transpose(const tenfold_context *context, const char *expression,
                                const tenfold_operands *operands, const tenfold_data *data,
                                const tenfold_transpose_options *options,
                                const tenfold_execute_options *execute_options) {
    return guarded([&] {
        require(context, "context");
        require(expression, "expression");
        check(operands);
        check(data);
        if (operands->input_count != 1 || data->input_count != 1)
            refuse("a transposition has one input, but operands have " +
                   std::to_string(operands->input_count) + ", data has " +
                   std::to_string(data->input_count));
        if (operands->c != nullptr)
            refuse("a transposition has no c: beta multiplies d");
        const tenfold_execute_options own = taken(execute_options, "execute options");
        refuse_others(own, executes::no_contraction);
        const taken_control control(own.control);
        tenfold::transpose_options chosen =
            options_of(*context, taken(options, "transpose options"));
        chosen.alpha = scalar_or(own.alpha, 1.0);
        if (own.beta != nullptr)
            chosen.beta = scalar_or(own.beta, 0.0);
        chosen.control = control.get();
        const tenfold::input a = input_of(operands->inputs[0], data->inputs[0], {"A"});
        const tenfold::output b = output_of(*operands->d, data->d, {"B"});
        tenfold::transpose(expression, a, b, chosen);
    });
}

tenfold_error tenfold_transpose_explain(const tenfold_transpose_plan *plan, const char **text) {
    return guarded([&] {
        require(plan, "plan");
        require(text, "text");
        *text = plan->explanation.get([&] { return plan->plan.explain(); }).c_str();
    });
}

tenfold_error tenfold_transpose_predicted_seconds(const tenfold_transpose_plan *plan,
                                                  double *seconds) {
    return guarded([&] {
        require(plan, "plan");
        require(seconds, "seconds");
        *seconds = plan->plan.predicted_seconds();
    });
}

tenfold_error tenfold_transpose_traffic(const tenfold_transpose_plan *plan, int32_t reads_b,
                                        int64_t *bytes) {
    return guarded([&] {
        require(plan, "plan");
        require(bytes, "bytes");
        *bytes = plan->plan.traffic(reads_b != 0).value;
    });
}
