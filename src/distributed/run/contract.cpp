// Contracts distributed tensors: agrees, plans, runs. Any number of inputs is contracted as a
// sequence of planned contractions.
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/dist.hpp>
#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "base/context_of.hpp"
#include "base/work.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/run/describe_contraction.hpp"
#include "distributed/run/kept_plans.hpp"
#include "distributed/run/local_epilogue.hpp"
#include "distributed/run/panels.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

/// Returns `options` with the context's settings for reproducible results and backend where they
/// are not set.
dist_options resolved(dist_options options) {
    const settings &defaults = base::context_of(options).settings();
    if (!options.reproducible)
        options.reproducible = defaults.reproducible;
    if (*options.reproducible && !options.backend)
        options.backend = defaults.backend; // the planner may reject this backend
    return options;
}

/// Returns `options` with the number of threads for local contractions on this rank. The caller's
/// context may set another number than the environment, from which the world took its own.
dist_options with_threads(dist_options options, const world &where) {
    const int asked = options.ctx != nullptr ? options.ctx->settings().threads : 0;
    if (options.threads == 0)
        options.threads = asked > 0 ? asked : where.threads();
    return options;
}

/// What a contraction does beside its plan.
struct plan_use {
    scale_factors factors;
    const context *ctx = nullptr; ///< the caller's, or null
    const local_epilogue *finish = nullptr;
    int threads = 1; ///< of the epilogue
};

/// The epilogue of a call on this rank, if it has one.
template <class T> void plan_epilogue(std::optional<local_epilogue> &finish,
                                      const contraction_spec &spec, dist_tensor<T> &r,
                                      const dist_options &options) {
    finish.reset();
    if (options.epilogue != nullptr && !options.epilogue->steps().empty())
        finish.emplace(*options.epilogue, spec,
                       block_of_output{data_type_of<T>, r.extents(), r.local_slice(),
                                       tensor_access::elements(r)},
                       base::context_of(options).isa());
}

/// Throws errc::invalid_argument if copies of the output may differ and remain so, or are read.
/// Every element is written in all copies unless D is kept, or written on a diagonal only.
template <class T> void check_output(const dist_tensor<T> &r, const contraction_spec &spec,
                                     const scale_factors &factors) {
    const std::set<label_t> distinct(spec.output.begin(), spec.output.end());
    if (factors.beta != scalar(0) || distinct.size() != spec.output.size())
        tensor_access::check_copies(r, "D");
}

/// Collective. Redistributes the operands, gathers panels, multiplies, sums and redistributes the
/// result (docs/distribution.md). If one rank throws, all throw, before data moves; if the caller
/// watches (base/work.hpp), errc::stopped may also come later. `b` is null for one input.
template <class T> dist_report run_plan(const dist_plan &plan, const plan_use &use,
                                        const dist_tensor<T> &a, const dist_tensor<T> *b,
                                        dist_tensor<T> &r) {
    communicator &comm = internals::of(r.owner());
    std::optional<panel_contraction<T>> work;
    const auto describe = [&](call_description &call) {
        call.add("plan", plan.hash())
            .add("control", base::work_part::is_watched() ? "given" : "none");
    };
    collectively(comm, "contract (plan)", describe, [&] {
        const timed preparing(comm.recorder(), activity::plan, "local plans and memory");
        work.emplace(r.owner(), internals::of(plan), use.factors, use.ctx, a.data(),
                     b == nullptr ? nullptr : b->data(), tensor_access::elements(r));
    });

    const auto start = std::chrono::steady_clock::now();
    const panel_contraction_counts counts = work->run();
    if (use.finish != nullptr && !base::work_part::stops())
        use.finish->run(use.threads);
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
    if (most[5] != 0) { // the caller stopped the work on some rank
        tensor_access::copies_may_differ(r);
        throw error(errc::stopped, status(errc::stopped).message());
    }
    tensor_access::copies_are_equal(r); // check_output()
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

template <class T> dist_report contract_any(std::string_view expression, const dist_tensor<T> &a,
                                            const dist_tensor<T> *b, dist_tensor<T> &r,
                                            const dist_options &given) {
    const world &where = r.owner();
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
        describe_contraction(call, expression, data_type_of<T>, tensors, options);
    };
    const auto find_prices = [&] {
        tensors = {};
        tensors.add(a);
        if (b != nullptr)
            tensors.add(*b);
        tensors.add(r);
        options = with_threads(resolved(given), where);
        return prices::of(options);
    };
    plan_collectively(comm, "contract", describe, find_prices, [&](const prices &price) {
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
        factors = scale_factors_of(spec, data_type_of<T>, options);
        if (factors.alpha != scalar(0)) {
            tensor_access::check_copies(a, "A");
            if (b != nullptr)
                tensor_access::check_copies(*b, "B");
        }
        check_output(r, spec, factors);
        plan_epilogue(finish, spec, r, options);
        plan = find_or_make<dist_plan, plan_kind::contraction>(
            {expression,
             data_type_of<T>,
             tensors.spreads,
             options,
             {},
             price,
             factor_kinds::of(factors, *options.reproducible)},
            [&] { return plan_at(price, spec, data_type_of<T>, tensors.copies(), options); });
    });

    const plan_use use{factors, options.ctx, finish ? &*finish : nullptr, options.threads};
    return base::run_watched(options.control, [&] { return run_plan(*plan, use, a, b, r); });
}

/// Reads the expression; throws as parse(), and if the tensors cannot be used together.
template <class T> contraction_spec spec_of(std::string_view expression,
                                            std::span<const dist_input<T>> inputs,
                                            const dist_tensor<T> &r) {
    std::vector<int> orders;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const dist_tensor<T> &one = inputs[i].tensor();
        if (!(one.owner() == r.owner()))
            throw error(errc::invalid_argument, "the tensors belong to different worlds");
        if (&one == &r)
            throw error(errc::overlap, "D is input " + std::to_string(i + 1) +
                                           "; the output is a tensor of its own");
        orders.push_back(one.order());
    }
    return parse(expression, orders);
}

/// The intermediates. Each lives from the step that writes it to the step that reads it.
template <class T> class sequence_run {
public:
    /// Finds what the steps need before they agree on anything.
    sequence_run(const dist_sequence &plan, const plan_use &last,
                 std::span<const dist_input<T>> inputs, dist_tensor<T> &r)
        : plan_(plan), last_(last), inputs_(inputs), r_(r), between_(plan.steps().size()) {
        for (const dist_step &step : plan.steps()) {
            empty_.push_back(step.operands.empty() ? step.plan.layout_of(0).extents()
                                                   : extents_t());
            results_.push_back({step.result.extents(), step.result});
        }
    }

    dist_report run(std::size_t number) {
        const dist_step &step = plan_.steps()[number];
        const traced_call traced(internals::of(r_.owner()), "contract ", step.expression);
        std::optional<dist_tensor<T>> nothing;
        if (step.operands.empty())
            nothing.emplace(r_.owner(), std::move(empty_[number]));
        const bool is_last = number + 1 == plan_.steps().size();
        if (!is_last)
            between_[number].emplace(r_.owner(), std::move(results_[number].extents),
                                     std::move(results_[number].spread));
        const dist_report report =
            run_plan(step.plan, is_last ? last_ : plan_use{{}, last_.ctx},
                     nothing ? *nothing : operand(step.operands[0]),
                     step.operands.size() > 1 ? &operand(step.operands[1]) : nullptr,
                     is_last ? r_ : *between_[number]);
        for (const std::size_t read : step.operands)
            if (read >= inputs_.size())
                between_[read - inputs_.size()].reset();
        return report;
    }

private:
    const dist_tensor<T> &operand(std::size_t number) const {
        return number < inputs_.size() ? inputs_[number].tensor()
                                       : *between_[number - inputs_.size()];
    }

    const dist_sequence &plan_;
    const plan_use last_; ///< of the last step
    std::span<const dist_input<T>> inputs_;
    dist_tensor<T> &r_;
    std::vector<std::optional<dist_tensor<T>>> between_; ///< index: the step that writes it
    struct shape {
        extents_t extents;
        distribution spread;
    };
    // By step; its tensor takes them.
    std::vector<shape> results_;
    std::vector<extents_t> empty_; ///< of the operand of a step that reads none
};

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

template <class T>
dist_sequence_report contract(std::string_view expression,
                              std::span<const dist_input<std::type_identity_t<T>>> inputs,
                              dist_tensor<T> &r, const dist_options &given) {
    communicator &comm = communicator_of(r.owner());
    const inside_library here(comm);
    const reported_waits reported(comm, given.ctx);
    std::optional<dist_sequence> plan;
    std::optional<local_epilogue> finish;
    std::optional<dist_sequence_report> result;
    std::optional<sequence_run<T>> work;
    plan_use last;
    dist_options options;
    {
        const traced_call traced(comm, "plan ", expression);
        passed_tensors tensors;
        std::vector<bool> conjugated;
        const auto describe = [&](call_description &call) {
            describe_contraction(call, expression, data_type_of<T>, tensors, options);
            std::string text;
            for (const bool one : conjugated)
                text += one ? '1' : '0';
            call.add("conjugated", text);
        };
        const auto find_prices = [&] {
            tensors = {};
            conjugated.clear();
            for (const dist_input<T> &one : inputs) {
                tensors.add(one.tensor());
                conjugated.push_back(one.conjugated());
            }
            tensors.add(r);
            options = with_threads(resolved(given), r.owner());
            return prices::of(options);
        };
        plan_collectively(comm, "contract", describe, find_prices, [&](const prices &price) {
            const timed planning(comm.recorder(), activity::plan, "plan");
            const contraction_spec spec = spec_of<T>(expression, inputs, r);
            last = {scale_factors_of(spec, data_type_of<T>, options), options.ctx, nullptr,
                    options.threads};
            if (last.factors.alpha != scalar(0))
                for (std::size_t i = 0; i < inputs.size(); ++i)
                    tensor_access::check_copies(inputs[i].tensor(),
                                                "input " + std::to_string(i + 1));
            check_output(r, spec, last.factors);
            plan_epilogue(finish, spec, r, options);
            plan = find_or_make<dist_sequence, plan_kind::sequence>(
                {expression, data_type_of<T>, tensors.spreads, options, conjugated, price,
                 factor_kinds::of(last.factors, *options.reproducible)},
                [&] {
                    return plan_sequence_at(price, spec, data_type_of<T>, tensors.copies(), options,
                                            conjugated);
                });
        });
        const auto describe_path = [&](call_description &call) { call.add("plan", plan->hash()); };
        collectively(comm, "contract (path)", describe_path, [&] {
            last.finish = finish ? &*finish : nullptr;
            work.emplace(*plan, last, inputs, r);
            result.emplace(dist_sequence_report{*plan, bytes(0), bytes(0), bytes(0), 0, {}});
            result->steps.reserve(plan->steps().size());
        });
    }

    const auto start = std::chrono::steady_clock::now();
    dist_sequence_report &report = *result;
    base::run_watched(options.control, [&] {
        for (std::size_t number = 0; number < plan->steps().size(); ++number) {
            const dist_step &step = plan->steps()[number];
            const base::work_part part(step.plan.summary().flops /
                                       std::max(1.0, plan->summary().flops));
            const dist_report done = work->run(number);
            report.bytes_received_max.value += done.bytes_received_max.value;
            report.redistribution_max.value += done.redistribution_max.value;
            report.peak_bytes_max =
                std::max(report.peak_bytes_max,
                         bytes(base::saturated_add(done.peak_bytes_max.value, step.beside.value)));
            report.steps.push_back(done);
        }
    });
    const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;
    const std::array mine{static_cast<std::uint64_t>(elapsed.count())};
    std::array<std::uint64_t, 1> most{};
    comm.maximum(mine, most);
    report.seconds_max = static_cast<double>(most[0]) * 1e-9;
    return std::move(report);
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template dist_report contract(std::string_view, const dist_tensor<T> &,                        \
                                  const dist_tensor<T> &, dist_tensor<T> &, const dist_options &); \
    template dist_report contract(std::string_view, const dist_tensor<T> &, dist_tensor<T> &,      \
                                  const dist_options &);                                           \
    template dist_sequence_report contract<T>(std::string_view, std::span<const dist_input<T>>,    \
                                              dist_tensor<T> &, const dist_options &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
