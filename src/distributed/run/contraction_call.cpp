#include "distributed/run/contraction_call.hpp"

#include <array>
#include <chrono>
#include <optional>

#include "base/context_of.hpp"
#include "base/work.hpp"
#include "distributed/plan/slice.hpp"
#include "distributed/run/panels.hpp"

namespace tenfold::dist_impl {
namespace {

std::string text_of(const std::optional<byte_count> &limit) {
    return limit ? std::to_string(limit->value) + " bytes" : "none";
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

} // namespace

dist_options resolved(dist_options options) {
    const settings &defaults = base::context_of(options).settings();
    if (!options.reproducible)
        options.reproducible = defaults.reproducible;
    if (*options.reproducible && !options.backend)
        options.backend = defaults.backend; // the planner may reject this backend
    return options;
}

dist_options with_threads(dist_options options, const world &where) {
    const int asked = options.ctx != nullptr ? options.ctx->settings().threads : 0;
    if (options.threads == 0)
        options.threads = asked > 0 ? asked : where.threads();
    return options;
}

call_description describe_contraction(std::string_view expression, data_type type,
                                      std::span<const distribution *const> operands,
                                      const dist_options &options) {
    call_description description("contract");
    description.add("expression", std::string("'").append(expression).append("'"))
        .add("type", std::string(name(type)));
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const bool is_output = i + 1 == operands.size();
        const std::string letter(1, is_output ? 'D' : static_cast<char>('A' + i));
        description.add(is_output || operands.size() <= 3 ? letter
                                                          : "input " + std::to_string(i + 1),
                        *operands[i]);
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
        description.add("instruction set", std::string(name(base::context_of(options).isa())));
    return description;
}

std::string plan_key(const call_description &call, const dist_options &options) {
    const context &ctx = base::context_of(options);
    return call.text() + "; " + std::to_string(options.threads) + " threads, " +
           std::string(name(ctx.isa())) + ", " +
           std::to_string(ctx.settings().workspace_limit.value);
}

template <class T> dist_report run_plan(const dist_plan &plan, const context *ctx,
                                        const dist_tensor<T> &a, const dist_tensor<T> *b,
                                        dist_tensor<T> &r) {
    communicator &comm = internals::of(r.owner());
    std::optional<panel_contraction<T>> work;
    call_description prepared("contract (plan)");
    prepared.add("plan", std::to_string(plan.hash()))
        .add("control", base::work_part::is_watched() ? "given" : "none");
    collectively(comm, prepared, [&] {
        const timed preparing(comm.recorder(), activity::plan, "local plans and memory");
        work.emplace(r.owner(), internals::of(plan), ctx, a.data(),
                     b == nullptr ? nullptr : b->data(), r.data());
    });

    const auto start = std::chrono::steady_clock::now();
    const panel_contraction_counts counts = work->run();
    const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;

    index_t peak = work->buffer_bytes();
    for (const dist_tensor<T> *tensor : {&a, b, static_cast<const dist_tensor<T> *>(&r)})
        if (tensor != nullptr)
            peak += tensor->local_slice().size() * static_cast<index_t>(sizeof(T));
    const std::array<std::uint64_t, 6> mine{counts.received,
                                            counts.redistributed,
                                            static_cast<std::uint64_t>(peak),
                                            static_cast<std::uint64_t>(work->workspace_bytes()),
                                            static_cast<std::uint64_t>(elapsed.count()),
                                            base::work_part::stops() ? 1U : 0U};
    std::array<std::uint64_t, 6> most{};
    const std::size_t words = base::work_part::is_watched() ? 6 : 5;
    comm.maximum(std::span(mine).first(words), std::span(most).first(words));
    if (most[5] != 0) // the caller stopped the work on some rank
        throw error(errc::stopped, status(errc::stopped).message());
    return {plan,
            bytes(static_cast<index_t>(most[0])),
            bytes(static_cast<index_t>(most[1])),
            bytes(static_cast<index_t>(most[2])),
            bytes(static_cast<index_t>(most[3])),
            static_cast<double>(most[4]) * 1e-9,
            work->local_algorithm(),
            bytes(static_cast<index_t>(counts.received)),
            bytes(static_cast<index_t>(counts.redistributed))};
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template dist_report run_plan(const dist_plan &, const context *, const dist_tensor<T> &,      \
                                  const dist_tensor<T> *, dist_tensor<T> &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)

} // namespace tenfold::dist_impl
