// Contracts one or two distributed tensors: agrees, plans, runs.
#include <optional>

#include <tenfold/error.hpp>

#include "base/work.hpp"
#include "distributed/run/contraction_call.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

template <class T> dist_report contract_any(std::string_view expression, const dist_tensor<T> &a,
                                            const dist_tensor<T> *b, dist_tensor<T> &r,
                                            const dist_options &given) {
    const dist_options options = resolved(given);
    const world &where = r.owner();
    communicator &comm = internals::of(where);
    const traced_call traced(comm, std::string("contract ").append(expression));
    std::vector<const distribution *> spreads{&a.distribution()};
    if (b != nullptr)
        spreads.push_back(&b->distribution());
    spreads.push_back(&r.distribution());

    // First check that all ranks ask for the same, then that all planned and allocated. A failure
    // on one rank only, such as an allocation, must not look like a disagreement.
    std::optional<dist_plan> plan;
    const call_description call =
        describe_contraction(expression, data_type_of<T>, spreads, options);
    collectively(comm, call, [&] {
        const timed planning(comm.recorder(), activity::plan, "plan");
        if (!(a.owner() == where) || (b != nullptr && !(b->owner() == where)))
            throw error(errc::invalid_argument, "the tensors belong to different worlds");
        if (&a == &r || b == &r)
            throw error(errc::overlap, std::string("D is ") + (&a == &r ? "A" : "B") +
                                           "; the output is a tensor of its own");
        std::vector<int> orders{a.order()};
        if (b != nullptr)
            orders.push_back(b->order());
        const contraction_spec spec = parse(expression, orders);
        if (spec.inputs.size() != orders.size())
            throw error(errc::invalid_argument,
                        "'" + std::string(expression) + "' has " +
                            std::to_string(spec.inputs.size()) + " inputs, but " +
                            std::to_string(orders.size()) + " tensors were passed");
        const dist_options planned = with_threads(options, where);
        plan = comm.plans().find_or_make(plan_key(call, planned), [&] {
            std::vector<distribution> operands;
            for (const distribution *spread : spreads)
                operands.push_back(*spread);
            return make_dist_plan(spec, data_type_of<T>, operands, planned);
        });
    });

    return base::run_watched(options.control,
                             [&] { return run_plan(*plan, options.ctx, a, b, r); });
}

} // namespace

template <class T> dist_report contract(std::string_view expression, const dist_tensor<T> &a,
                                        const dist_tensor<T> &b, dist_tensor<T> &r,
                                        const dist_options &options) {
    return contract_any(expression, a, &b, r, options);
}

template <class T> dist_report contract(std::string_view expression, const dist_tensor<T> &a,
                                        dist_tensor<T> &r, const dist_options &options) {
    return contract_any<T>(expression, a, nullptr, r, options);
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template dist_report contract(std::string_view, const dist_tensor<T> &,                        \
                                  const dist_tensor<T> &, dist_tensor<T> &, const dist_options &); \
    template dist_report contract(std::string_view, const dist_tensor<T> &, dist_tensor<T> &,      \
                                  const dist_options &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)

} // namespace tenfold
