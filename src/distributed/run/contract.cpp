// Contracts distributed tensors: agrees, plans, runs.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

} // namespace

dist_report dist_impl::contract_any(std::string_view expression, const any_dist_tensor &a,
                                    const any_dist_tensor *b, const any_dist_tensor &r,
                                    const dist_options &given) {
    const world &where = *r.owner;
    communicator &comm = communicator_of(where);
    const traced_call traced(comm, "contract ", expression);
    const reported_waits reported(comm, given.ctx);

    // First check that all ranks ask for the same, then that all planned and allocated. A failure
    // on one rank only, such as an allocation, must not look like a disagreement.
    std::optional<dist_plan> plan;
    std::optional<local_epilogue> finish;
    scale_factors factors;
    dist_options options;
    passed_tensors tensors;
    const auto describe = [&](call_description &call) {
        describe_contraction(call, expression, tensors, options);
    };
    const auto find_prices = [&] {
        tensors = {};
        tensors.add(a);
        if (b != nullptr)
            tensors.add(*b);
        tensors.add(r);
        options = with_threads(resolved(given, r), where);
        return prices::of(options);
    };
    plan_collectively(comm, "contract", describe, find_prices, [&](const prices &price) {
        const timed planning(comm.recorder(), activity::plan, "plan");
        if (!(*a.owner == where) || (b != nullptr && !(*b->owner == where)))
            throw error(errc::invalid_argument, "the tensors belong to different worlds");
        if (a.tensor == r.tensor || (b != nullptr && b->tensor == r.tensor))
            throw error(errc::overlap, std::string("D is ") + (a.tensor == r.tensor ? "A" : "B") +
                                           "; the output is a tensor of its own");
        std::vector<int> orders{a.spread->order()};
        if (b != nullptr)
            orders.push_back(b->spread->order());
        const contraction_spec spec = parse(expression, orders);
        if (spec.inputs.size() != orders.size())
            throw error(errc::invalid_argument,
                        "'" + std::string(expression) + "' has " +
                            std::to_string(spec.inputs.size()) + " inputs, but " +
                            std::to_string(orders.size()) + " tensors were passed");
        tensors.check_shared_names(spec);
        factors = scale_factors_of(spec, type_of_sums(r), options);
        if (factors.alpha != scalar(0)) {
            tensor_access::check_copies(a, "A");
            if (b != nullptr)
                tensor_access::check_copies(*b, "B");
        }
        check_output(r, spec, factors);
        plan_epilogue(finish, spec, r, options);
        plan = find_or_make<dist_plan, plan_kind::contraction>(
            {expression,
             tensors.types,
             tensors.spreads,
             options,
             {},
             price,
             factor_kinds::of(factors, *options.reproducible)},
            [&] { return plan_at(price, spec, tensors.types, tensors.copies(), options); });
    });

    const plan_use use{factors, options.ctx, finish ? &*finish : nullptr, options.threads};
    return base::run_watched(options.control, [&] { return run_plan(*plan, use, a, b, r); });
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
