// Contracts any number of distributed inputs as a sequence of planned contractions.
#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "base/sum_types.hpp"
#include "base/work.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/run/describe_contraction.hpp"
#include "distributed/run/kept_plans.hpp"
#include "distributed/run/run_plan.hpp"

namespace tenfold::dist_impl {
namespace {

/// Reads the expression; throws as parse(), and if the tensors cannot be used together.
contraction_spec spec_of(std::string_view expression, std::span<const any_input> inputs,
                         const any_dist_tensor &r) {
    std::vector<int> orders;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const any_dist_tensor &one = inputs[i].its;
        if (!(*one.owner == *r.owner))
            throw error(errc::invalid_argument, "the tensors belong to different worlds");
        if (one.tensor == r.tensor)
            throw error(errc::overlap, "D is input " + std::to_string(i + 1) +
                                           "; the output is a tensor of its own");
        orders.push_back(one.spread->order());
    }
    return parse(expression, orders);
}

/// A sequence that can be run step by step.
class steps_to_run {
public:
    virtual ~steps_to_run() = default;
    virtual dist_report run(std::size_t number) = 0;
};

/// The intermediates, of the type of the sums. Each lives from the step that writes it to the step
/// that reads it.
template <class T> class sequence_run final : public steps_to_run {
public:
    /// Finds what the steps need before they agree on anything.
    sequence_run(const dist_sequence &plan, const plan_use &last, std::span<const any_input> inputs,
                 const any_dist_tensor &r)
        : plan_(plan), last_(last), inputs_(inputs), r_(r), between_(plan.steps().size()) {
        for (const dist_step &step : plan.steps()) {
            empty_.push_back(step.operands.empty() ? step.plan.layout_of(0).extents()
                                                   : extents_t());
            results_.push_back({step.result.extents(), step.result});
        }
    }

    dist_report run(std::size_t number) override {
        const dist_step &step = plan_.steps()[number];
        const traced_call traced(internals::of(*r_.owner), "contract ", step.expression);
        std::optional<dist_tensor<T>> nothing;
        if (step.operands.empty())
            nothing.emplace(*r_.owner, std::move(empty_[number]));
        const bool is_last = number + 1 == plan_.steps().size();
        if (!is_last)
            between_[number].emplace(*r_.owner, std::move(results_[number].extents),
                                     std::move(results_[number].spread));
        const any_dist_tensor a =
            nothing ? tensor_access::any(*nothing) : operand(step.operands[0]);
        std::optional<any_dist_tensor> b;
        if (step.operands.size() > 1)
            b = operand(step.operands[1]);
        const dist_report report =
            run_plan(step.plan, is_last ? last_ : plan_use{{}, last_.ctx}, a, b ? &*b : nullptr,
                     is_last ? r_ : tensor_access::any(*between_[number]));
        for (const std::size_t read : step.operands)
            if (read >= inputs_.size())
                between_[read - inputs_.size()].reset();
        return report;
    }

private:
    any_dist_tensor operand(std::size_t number) const {
        return number < inputs_.size() ? inputs_[number].its
                                       : tensor_access::any(*between_[number - inputs_.size()]);
    }

    const dist_sequence &plan_;
    const plan_use last_; ///< of the last step
    std::span<const any_input> inputs_;
    any_dist_tensor r_;
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

dist_sequence_report contract_all(std::string_view expression, const numbered_inputs &given_inputs,
                                  const any_dist_tensor &r, const dist_options &given) {
    const world &where = *r.owner;
    std::vector<any_input> inputs; // made where ranks can agree that one has no memory
    communicator &comm = communicator_of(where);
    const inside_library here(comm);
    const reported_waits reported(comm, given.ctx);
    std::optional<dist_sequence> plan;
    std::optional<local_epilogue> finish;
    std::optional<dist_sequence_report> result;
    std::unique_ptr<steps_to_run> work;
    plan_use last;
    dist_options options;
    {
        const traced_call traced(comm, "plan ", expression);
        passed_tensors tensors;
        std::vector<bool> conjugated;
        const auto describe = [&](call_description &call) {
            describe_contraction(call, expression, tensors, options);
            std::string text;
            for (const bool one : conjugated)
                text += one ? '1' : '0';
            call.add("conjugated", text);
        };
        const auto find_prices = [&] {
            tensors = {};
            conjugated.clear();
            inputs.clear();
            for (std::size_t i = 0; i < given_inputs.count; ++i) {
                inputs.push_back(given_inputs.at(i));
                tensors.add(inputs.back().its);
                conjugated.push_back(inputs.back().conjugated);
            }
            tensors.add(r);
            options = in_world(resolved(given, r), where);
            return prices::of(options);
        };
        plan_collectively(comm, "contract", describe, find_prices, [&](const prices &price) {
            const timed planning(comm.recorder(), activity::plan, "plan");
            const contraction_spec spec = spec_of(expression, inputs, r);
            tensors.check_shared_names(spec);
            last = {scale_factors_of(spec, type_of_sums(r), options), options.ctx, nullptr,
                    options.threads};
            if (last.factors.alpha != scalar(0))
                for (std::size_t i = 0; i < inputs.size(); ++i)
                    tensor_access::check_copies(inputs[i].its, "input " + std::to_string(i + 1));
            check_output(r, spec, last.factors);
            plan_epilogue(finish, spec, r, options);
            plan = find_or_make<dist_sequence, plan_kind::sequence>(
                {expression, tensors.types, tensors.spreads, options, conjugated, price,
                 factor_kinds::of(last.factors, *options.reproducible)},
                [&] {
                    return plan_sequence_at(price, spec, tensors.types, tensors.copies(), options,
                                            conjugated);
                });
        });
        const auto describe_path = [&](call_description &call) { call.add("plan", plan->hash()); };
        collectively(comm, "contract (path)", describe_path, [&] {
            last.finish = finish ? &*finish : nullptr;
            base::with_sum_type(type_of_sums(r), [&]<class T>(T) {
                work = std::make_unique<sequence_run<T>>(*plan, last, inputs, r);
            });
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

dist_sequence_report contract_any(std::string_view expression, std::span<const dist_operand> inputs,
                                  const any_dist_tensor &r, const dist_options &options) {
    const auto at = [&](std::size_t i) { return inputs[i].any(); };
    return contract_all(expression, {inputs.size(), at}, r, options);
}

} // namespace tenfold::dist_impl
