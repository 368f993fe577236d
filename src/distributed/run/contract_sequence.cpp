// Contracts any number of distributed tensors as a sequence of planned contractions.
#include <chrono>
#include <optional>

#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "base/work.hpp"
#include "distributed/run/contraction_call.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

template <class T> dist_sequence make_plan(std::string_view expression,
                                           std::span<const dist_input<T>> inputs,
                                           const dist_tensor<T> &r, const dist_options &options) {
    std::vector<int> orders;
    std::vector<distribution> operands;
    std::vector<bool> conjugated;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const dist_tensor<T> &one = inputs[i].tensor();
        if (!(one.owner() == r.owner()))
            throw error(errc::invalid_argument, "the tensors belong to different worlds");
        if (&one == &r)
            throw error(errc::overlap, "D is input " + std::to_string(i + 1) +
                                           "; the output is a tensor of its own");
        orders.push_back(one.order());
        operands.push_back(one.distribution());
        conjugated.push_back(inputs[i].conjugated());
    }
    operands.push_back(r.distribution());
    return make_dist_sequence(parse(expression, orders), data_type_of<T>, operands, options,
                              conjugated);
}

/// The intermediates. Each lives from the step that writes it to the step that reads it.
template <class T> class sequence_run {
public:
    sequence_run(const dist_sequence &plan, std::span<const dist_input<T>> inputs,
                 dist_tensor<T> &r, const context *ctx)
        : plan_(plan), inputs_(inputs), r_(r), ctx_(ctx), between_(plan.steps().size()) {}

    dist_report run(std::size_t number) {
        const dist_step &step = plan_.steps()[number];
        const traced_call traced(internals::of(r_.owner()), "contract " + step.expression);
        std::optional<dist_tensor<T>> nothing;
        if (step.operands.empty())
            nothing.emplace(r_.owner(), step.plan.layout_of(0).extents());
        const bool is_last = number + 1 == plan_.steps().size();
        if (!is_last)
            between_[number].emplace(r_.owner(), step.result.extents(), step.result);
        const dist_report report =
            run_plan(step.plan, ctx_, nothing ? *nothing : operand(step.operands[0]),
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
    std::span<const dist_input<T>> inputs_;
    dist_tensor<T> &r_;
    const context *ctx_;
    std::vector<std::optional<dist_tensor<T>>> between_; ///< index: the step that writes it
};

} // namespace

template <class T>
dist_sequence_report contract(std::string_view expression,
                              std::span<const dist_input<std::type_identity_t<T>>> inputs,
                              dist_tensor<T> &r, const dist_options &given) {
    const dist_options options = resolved(given);
    communicator &comm = internals::of(r.owner());
    std::optional<dist_sequence> plan;
    {
        const traced_call traced(comm, std::string("plan ").append(expression));
        std::vector<const distribution *> spreads;
        for (const dist_input<T> &one : inputs)
            spreads.push_back(&one.tensor().distribution());
        spreads.push_back(&r.distribution());
        call_description call = describe_contraction(expression, data_type_of<T>, spreads, options);
        std::string conjugated;
        for (const dist_input<T> &one : inputs)
            conjugated += one.conjugated() ? '1' : '0';
        call.add("conjugated", conjugated);
        collectively(comm, call, [&] {
            const timed planning(comm.recorder(), activity::plan, "plan");
            const dist_options planned = with_threads(options, r.owner());
            plan = comm.sequences().find_or_make(plan_key(call, planned), [&] {
                return make_plan<T>(expression, inputs, r, planned);
            });
        });
        call_description planned("contract (path)");
        planned.add("plan", std::to_string(plan->hash()));
        agree(comm, planned);
    }

    const auto start = std::chrono::steady_clock::now();
    dist_sequence_report report{*plan, bytes(0), bytes(0), bytes(0), 0, {}};
    sequence_run<T> work(*plan, inputs, r, options.ctx);
    base::run_watched(options.control, [&] {
        for (std::size_t number = 0; number < plan->steps().size(); ++number) {
            const dist_step &step = plan->steps()[number];
            const base::work_part part(step.plan.summary().flops /
                                       std::max(1.0, plan->summary().flops));
            const dist_report done = work.run(number);
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
    return report;
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template dist_sequence_report contract<T>(std::string_view, std::span<const dist_input<T>>,    \
                                              dist_tensor<T> &, const dist_options &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)

} // namespace tenfold
