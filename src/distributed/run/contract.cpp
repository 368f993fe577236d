// Contracts distributed tensors: agrees, plans, runs.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/dist_async.hpp>
#include <tenfold/dist_mixed.hpp>
#include <tenfold/error.hpp>

#include "base/work.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/run/describe_contraction.hpp"
#include "distributed/run/kept_plans.hpp"
#include "distributed/run/run_plan.hpp"

namespace tenfold {

namespace {

using namespace dist_impl;

/// A call's arguments; `b` is null with one input.
struct contraction_call {
    std::string_view expression;
    const any_dist_tensor &a;
    const any_dist_tensor *b;
    const any_dist_tensor &r;
    const dist_options &given;
};

/// Checks the call on this rank and plans it.
void plan_call(agreed_contraction &made, const contraction_call &called,
               const passed_tensors &tensors, const prices &price) {
    const any_dist_tensor &a = called.a;
    const any_dist_tensor *const b = called.b;
    const any_dist_tensor &r = called.r;
    if (!(*a.owner == *r.owner) || (b != nullptr && !(*b->owner == *r.owner)))
        throw error(errc::invalid_argument, "the tensors belong to different worlds");
    if (a.tensor == r.tensor || (b != nullptr && b->tensor == r.tensor))
        throw error(errc::overlap, std::string("D is ") + (a.tensor == r.tensor ? "A" : "B") +
                                       "; the output is a tensor of its own");
    std::vector<int> orders{a.spread->order()};
    if (b != nullptr)
        orders.push_back(b->spread->order());
    const contraction_spec spec = parse(called.expression, orders);
    if (spec.inputs.size() != orders.size())
        throw error(errc::invalid_argument, "'" + std::string(called.expression) + "' has " +
                                                std::to_string(spec.inputs.size()) +
                                                " inputs, but " + std::to_string(orders.size()) +
                                                " tensors were passed");
    tensors.check_shared_names(spec);
    made.factors = scale_factors_of(spec, type_of_sums(r), made.options);
    if (made.factors.alpha != scalar(0)) {
        tensor_access::check_copies(a, "A");
        if (b != nullptr)
            tensor_access::check_copies(*b, "B");
    }
    check_output(r, spec, made.factors);
    plan_epilogue(made.finish, spec, r, made.options);
    made.plan = find_or_make<dist_plan, plan_kind::contraction>(
        {called.expression,
         tensors.types,
         tensors.spreads,
         made.options,
         {},
         price,
         factor_kinds::of(made.factors, *made.options.reproducible)},
        [&] { return plan_at(price, spec, tensors.types, tensors.copies(), made.options); });
}

/// Collective. `operation`: a string literal.
std::unique_ptr<agreed_contraction> agree_on(const char *operation,
                                             const contraction_call &called) {
    communicator &comm = communicator_of(*called.r.owner);
    // First check that all ranks ask for the same, then that all planned and allocated. A failure
    // on one rank only, such as an allocation, must not look like a disagreement.
    std::unique_ptr<agreed_contraction> made;
    passed_tensors tensors;
    const auto describe = [&](call_description &call) {
        describe_contraction(call, called.expression, tensors, made->options);
    };
    const auto find_prices = [&] {
        if (made == nullptr)
            made = std::make_unique<agreed_contraction>(called.a, called.b, called.r);
        tensors = {};
        tensors.add(called.a);
        if (called.b != nullptr)
            tensors.add(*called.b);
        tensors.add(called.r);
        made->options = in_world(resolved(called.given, called.r), *called.r.owner);
        return prices::of(made->options);
    };
    plan_collectively(comm, operation, describe, find_prices, [&](const prices &price) {
        const timed planning(comm.recorder(), activity::plan, "plan");
        plan_call(*made, called, tensors, price);
    });
    return made;
}

} // namespace

dist_report dist_impl::contract_any(std::string_view expression, const any_dist_tensor &a,
                                    const any_dist_tensor *b, const any_dist_tensor &r,
                                    const dist_options &given) {
    communicator &comm = communicator_of(*r.owner);
    const traced_call traced(comm, "contract ", expression);
    const reported_waits reported(comm, given.ctx);
    const auto agreed = agree_on("contract", {expression, a, b, r, given});
    return base::run_watched(agreed->options.control,
                             [&] { return run_plan(*agreed->plan, agreed->use(), a, b, r); });
}

std::unique_ptr<pending_result<dist_report>>
dist_impl::start_contraction(std::string_view expression, const any_dist_tensor &a,
                             const any_dist_tensor *b, const any_dist_tensor &r,
                             const dist_options &given) {
    communicator &comm = communicator_of(*r.owner);
    const traced_call traced(comm, "contract_async ", expression);
    const reported_waits reported(comm, given.ctx);
    return start_plan(agree_on("contract_async", {expression, a, b, r, given}));
}

template <class T> any_dist_tensor dist_impl::any_of(const dist_tensor<T> &tensor) {
    return tensor_access::any(tensor);
}

template <class T> dist_report contract(std::string_view expression, const dist_tensor<T> &a,
                                        const dist_tensor<T> &b, dist_tensor<T> &r,
                                        const dist_options &options) {
    const any_dist_tensor second = tensor_access::any(b);
    return contract_any(expression, tensor_access::any(a), &second, tensor_access::any(r), options);
}

template <class T> dist_report contract(std::string_view expression, const dist_tensor<T> &a,
                                        dist_tensor<T> &r, const dist_options &options) {
    return contract_any(expression, tensor_access::any(a), nullptr, tensor_access::any(r), options);
}

template <class T>
dist_sequence_report contract(std::string_view expression,
                              std::span<const dist_input<std::type_identity_t<T>>> inputs,
                              dist_tensor<T> &r, const dist_options &options) {
    const auto at = [&](std::size_t i) {
        return any_input{tensor_access::any(inputs[i].tensor()), inputs[i].conjugated()};
    };
    return contract_all(expression, {inputs.size(), at}, tensor_access::any(r), options);
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template any_dist_tensor dist_impl::any_of(const dist_tensor<T> &);                            \
    template dist_report contract(std::string_view, const dist_tensor<T> &,                        \
                                  const dist_tensor<T> &, dist_tensor<T> &, const dist_options &); \
    template dist_report contract(std::string_view, const dist_tensor<T> &, dist_tensor<T> &,      \
                                  const dist_options &);                                           \
    template dist_sequence_report contract<T>(std::string_view, std::span<const dist_input<T>>,    \
                                              dist_tensor<T> &, const dist_options &);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
