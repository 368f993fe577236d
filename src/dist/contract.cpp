// One distributed contraction: redistribute the operands, all-gather panels, multiply, reduce-
// scatter, redistribute the result (docs/distribution.md).
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include <tenfold/dist.hpp>
#include <tenfold/error.hpp>

#include "dist/agreement.hpp"
#include "dist/panels.hpp"
#include "dist_plan/slice.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

std::string text_of(const std::optional<byte_count> &limit) {
    return limit ? std::to_string(limit->value) + " bytes" : "none";
}

const context &context_of(const dist_options &options) {
    return options.ctx != nullptr ? *options.ctx : context::global();
}

/// With what the context decides.
dist_options resolved(dist_options options) {
    const settings &defaults = context_of(options).settings();
    if (!options.reproducible)
        options.reproducible = defaults.reproducible;
    if (*options.reproducible && !options.backend)
        options.backend = defaults.backend; // which may refuse
    return options;
}

/// A context of the caller's may say otherwise than the environment, which the world asked.
int threads_of(const dist_options &options, const world &where) {
    const int asked = options.ctx != nullptr ? options.ctx->settings().threads : 0;
    return asked > 0 ? asked : where.threads();
}

/// "2x1x1x4", or "free": of batch, m, n and k.
template <class Groups> std::string text_of_groups(const std::optional<Groups> &groups) {
    if (!groups)
        return "free";
    std::string text;
    for (const index_t one :
         {index_t{groups->batch}, index_t{groups->m}, index_t{groups->n}, index_t{groups->k}})
        text.append(text.empty() ? "" : "x").append(std::to_string(one));
    return text;
}

call_description describe(std::string_view expression, data_type type,
                          std::span<const distribution *const> operands,
                          const dist_options &options) {
    call_description description("contract");
    description.add("expression", std::string("'").append(expression).append("'"))
        .add("type", std::string(name(type)));
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::string letter(1, i + 1 == operands.size() ? 'D' : static_cast<char>('A' + i));
        description.add(letter, *operands[i]);
    }
    if (options.beta)
        description.add("beta", *options.beta);
    else
        description.add("beta", std::string("default"));
    description.add("alpha", options.alpha)
        .add("conj_a", options.conj_a ? "true" : "false")
        .add("conj_b", options.conj_b ? "true" : "false")
        .add("diagonal_output", options.diagonal_output ? "true" : "false")
        .add("algorithm", std::string(name(options.algorithm)))
        .add("tuning", std::to_string(static_cast<int>(options.tuning)))
        .add("backend", options.backend ? std::string(name(*options.backend)) : "default")
        .add("workspace_limit", text_of(options.workspace_limit))
        .add("memory_per_rank", text_of(options.memory_per_rank))
        .add("grid", text_of_groups(options.grid))
        .add("step", text_of_groups(options.step))
        .add("reproducible", options.reproducible.value_or(false) ? "true" : "false");
    if (options.reproducible.value_or(false)) // kernels of other instruction sets round otherwise
        description.add("instruction set", std::string(name(context_of(options).isa())));
    return description;
}

template <class T> dist_report contract_any(std::string_view expression, const dist_tensor<T> &a,
                                            const dist_tensor<T> *b, dist_tensor<T> &r,
                                            const dist_options &given) {
    const dist_options options = resolved(given);
    const world &where = r.owner();
    communicator &comm = where.internals();
    const traced_call traced(comm, std::string("contract ").append(expression));
    std::vector<const distribution *> spreads{&a.distribution()};
    if (b != nullptr)
        spreads.push_back(&b->distribution());
    spreads.push_back(&r.distribution());

    // First whether all ranks ask for the same, then whether all planned and allocated alike: what
    // fails on one rank only, such as an allocation, must not look like a disagreement.
    std::optional<dist_plan> plan;
    const call_description call = describe(expression, data_type_of<T>, spreads, options);
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
        dist_options planned = options;
        if (planned.threads == 0)
            planned.threads = threads_of(options, where);
        // What is stated of local contractions depends on more than all ranks have in common.
        const context &ctx = context_of(options);
        const std::string key = call.text() + "; " + std::to_string(planned.threads) +
                                " threads, " + std::string(name(ctx.isa())) + ", " +
                                std::to_string(ctx.settings().workspace_limit.value);
        plan = comm.plans().find_or_make(key, [&] {
            std::vector<distribution> operands;
            for (const distribution *spread : spreads)
                operands.push_back(*spread);
            return make_dist_plan(spec, data_type_of<T>, operands, planned);
        });
    });

    std::optional<panel_contraction<T>> work;
    call_description prepared("contract (plan)");
    prepared.add("plan", std::to_string(plan->hash()));
    collectively(comm, prepared, [&] {
        const timed preparing(comm.recorder(), activity::plan, "local plans and memory");
        work.emplace(where, plan->internals(), options.ctx, a.data(),
                     b == nullptr ? nullptr : b->data(), r.data());
    });

    const auto start = std::chrono::steady_clock::now();
    const panel_contraction_counts counts = work->run();
    const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;

    index_t peak = work->buffer_bytes();
    for (const distribution *spread : spreads)
        peak += spread->block_of(comm.rank()).size() * static_cast<index_t>(sizeof(T));
    const std::array<std::uint64_t, 5> mine{counts.received, counts.redistributed,
                                            static_cast<std::uint64_t>(peak),
                                            static_cast<std::uint64_t>(work->workspace_bytes()),
                                            static_cast<std::uint64_t>(elapsed.count())};
    std::array<std::uint64_t, 5> most{};
    comm.maximum(mine, most);
    return {*plan,
            bytes(static_cast<index_t>(most[0])),
            bytes(static_cast<index_t>(most[1])),
            bytes(static_cast<index_t>(most[2])),
            bytes(static_cast<index_t>(most[3])),
            static_cast<double>(most[4]) * 1e-9,
            work->local_algorithm(),
            bytes(static_cast<index_t>(counts.received)),
            bytes(static_cast<index_t>(counts.redistributed))};
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

#define TENFOLD_INSTANTIATE(T)                                                                     \
    template dist_report contract(std::string_view, const dist_tensor<T> &,                        \
                                  const dist_tensor<T> &, dist_tensor<T> &, const dist_options &); \
    template dist_report contract(std::string_view, const dist_tensor<T> &, dist_tensor<T> &,      \
                                  const dist_options &);
TENFOLD_INSTANTIATE(float)
TENFOLD_INSTANTIATE(double)
TENFOLD_INSTANTIATE(c32)
TENFOLD_INSTANTIATE(c64)

} // namespace tenfold
