// Contractions of distributed tensors.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "capi/structs.hpp"
#include "distributed/capi/collective.hpp"
#include "distributed/capi/contraction_call.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::dist_operand;
using tenfold::capi_impl::report_of;

tensor_name input_name(std::int32_t index, std::int32_t count) {
    return {.index = index, .count = count};
}

std::vector<dist_operand> operands_of(const tenfold_dist_input *inputs, std::int32_t count) {
    std::vector<dist_operand> operands;
    for (std::int32_t i = 0; i < count; ++i) {
        require(inputs[i].tensor, input_name(i, count).text().c_str());
        const dist_operand plain =
            with_tensor(*inputs[i].tensor, [](const auto &one) { return dist_operand(one); });
        operands.push_back(inputs[i].conjugated != 0 ? conj(plain) : plain);
    }
    return operands;
}

tenfold_dist_report report_of(const tenfold::dist_sequence_report &done) {
    tenfold_dist_report whole{};
    whole.step_count = static_cast<std::int32_t>(done.steps.size());
    whole.bytes_received_max = done.bytes_received_max.value;
    whole.redistribution_max = done.redistribution_max.value;
    whole.peak_bytes_max = done.peak_bytes_max.value;
    whole.seconds_max = done.seconds_max;
    for (const tenfold::dist_report &step : done.steps) {
        whole.workspace_max = std::max(whole.workspace_max, step.workspace_max.value);
        whole.own_bytes_received += step.own_bytes_received.value;
        whole.own_redistribution += step.own_redistribution.value;
        if (done.steps.size() == 1)
            whole.algorithm = static_cast<tenfold_algorithm>(step.algorithm);
    }
    return whole;
}

tenfold_dist_report report_of(const any_dist_report &done) {
    return std::visit([](const auto &own) { return report_of(own); }, done);
}

/// The collective call.
any_dist_report contract_now(const char *expression, const prepared_contraction &own,
                             const tenfold_dist_tensor &d) {
    using namespace tenfold::dist_impl;
    const auto output = with_tensor(d, [](const auto &one) { return any_of(one); });
    const std::span inputs(own.inputs);
    if (inputs.size() > 2)
        return contract_any(expression, inputs, output, own.options);
    return contract_any(expression, inputs[0].any().its,
                        inputs.size() == 2 ? &inputs[1].any().its : nullptr, output, own.options);
}

/// Contracts, and hands what was done to `take`, which must not throw. `check` finds out before
/// whether that can be, and throws if not.
template <class Check, class Take> tenfold_error
contract_and(const contraction_call &given, const Check &check, const Take &take) noexcept {
    return guarded([&] {
        require(given.d, "d");
        const auto prepare = [&] {
            prepared_contraction own = prepare_contraction(given);
            check(own);
            return own;
        };
        collective(world_of(*given.d), prepare, [&](const prepared_contraction &own) {
            take(contract_now(given.expression, own, *given.d));
        });
    });
}

const any_dist_report &done_by(const tenfold_dist_record *record) {
    require(record, "record");
    return *record->done;
}

} // namespace

prepared_contraction tenfold::capi_impl::prepare_contraction(const contraction_call &call) {
    require(call.expression, "expression");
    if (call.input_count < 1)
        refuse("input_count is " + std::to_string(call.input_count) + "; it is 1 or more");
    require(call.inputs, "inputs");
    prepared_contraction own;
    own.inputs = operands_of(call.inputs, call.input_count);
    own.given = taken(call.options, "options");
    refuse_conjugated(own.given);
    own.control = std::make_shared<const taken_control>(own.given.control);
    own.options = dist_options_of(own.given, *own.control);
    if (own.inputs.size() <= 2) { // of more, each says so itself
        own.options.conj_a = own.inputs[0].any().conjugated;
        own.options.conj_b = own.inputs.size() == 2 && own.inputs[1].any().conjugated;
    }
    return own;
}

tenfold_dist_report tenfold::capi_impl::report_of(const dist_report &done) {
    return {.size = 0,
            .step_count = 1,
            .bytes_received_max = done.bytes_received_max.value,
            .redistribution_max = done.redistribution_max.value,
            .peak_bytes_max = done.peak_bytes_max.value,
            .seconds_max = done.seconds_max,
            .workspace_max = done.workspace_max.value,
            .own_bytes_received = done.own_bytes_received.value,
            .own_redistribution = done.own_redistribution.value,
            .algorithm = static_cast<tenfold_algorithm>(done.algorithm)};
}

tenfold_error tenfold_dist_contract(const char *expression, const tenfold_dist_input *inputs,
                                    int32_t input_count, tenfold_dist_tensor *d,
                                    const tenfold_dist_options *options,
                                    tenfold_dist_report *report) {
    const auto check = [&](const prepared_contraction &) {
        if (report != nullptr)
            require_size(*report, "report");
    };
    const auto take = [&](const any_dist_report &done) {
        if (report != nullptr)
            give(report_of(done), report, "report");
    };
    return contract_and({expression, inputs, input_count, d, options}, check, take);
}

tenfold_error tenfold_dist_contract_recorded(const char *expression,
                                             const tenfold_dist_input *inputs, int32_t input_count,
                                             tenfold_dist_tensor *d,
                                             const tenfold_dist_options *options,
                                             tenfold_dist_record **record) {
    if (record != nullptr)
        *record = nullptr;
    std::unique_ptr<tenfold_dist_record> made;
    const auto check = [&](const prepared_contraction &own) {
        require(record, "record");
        made.reset(new tenfold_dist_record{
            context_of(own.given), expression, static_cast<std::size_t>(input_count),
            with_tensor(*d, [](const auto &output) { return output.distribution(); })});
    };
    const auto take = [&](any_dist_report &&done) {
        made->done.emplace(std::move(done));
        *record = made.release();
    };
    return contract_and({expression, inputs, input_count, d, options}, check, take);
}

void tenfold_dist_record_destroy(tenfold_dist_record *record) { delete record; }

tenfold_error tenfold_dist_record_report(const tenfold_dist_record *record,
                                         tenfold_dist_report *report) {
    return guarded([&] { give(report_of(done_by(record)), report, "report"); });
}

tenfold_error tenfold_dist_record_step(const tenfold_dist_record *record, int32_t index,
                                       tenfold_dist_report *report) {
    return guarded([&] {
        const any_dist_report &done = done_by(record);
        const auto *const sequence = std::get_if<tenfold::dist_sequence_report>(&done);
        const std::size_t count = sequence != nullptr ? sequence->steps.size() : 1;
        if (index < 0 || static_cast<std::size_t>(index) >= count)
            refuse("there is no step " + std::to_string(index) + "; the contraction had " +
                   std::to_string(count));
        give(sequence != nullptr ? report_of(sequence->steps[static_cast<std::size_t>(index)])
                                 : report_of(done),
             report, "report");
    });
}

tenfold_error tenfold_dist_record_plan(const tenfold_dist_record *record,
                                       tenfold_dist_plan **plan) {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        const any_dist_plan own =
            std::visit([](const auto &done) { return any_dist_plan(done.plan); }, done_by(record));
        *plan = new tenfold_dist_plan{record->context, record->expression, own, record->inputs,
                                      record->output};
    });
}
