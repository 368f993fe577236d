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
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::dist_input;
using tenfold::dist_tensor;

/// What a rank brings to the call.
struct prepared_contraction {
    tenfold_dist_options given;
    std::shared_ptr<const taken_control> control;
    tenfold::dist_options options;
};

tensor_name input_name(std::int32_t index, std::int32_t count) {
    return {.index = index, .count = count};
}

/// All tensors must have the type of D.
void check_types(const tenfold_dist_input *inputs, std::int32_t count,
                 const tenfold_dist_tensor &d) {
    for (std::int32_t i = 0; i < count; ++i)
        require_like(inputs[i].tensor, input_name(i, count).text(), d, "D");
}

tenfold_dist_report report_of(const tenfold::dist_report &done) {
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

template <class T> dist_input<T> dist_input_of(const tenfold_dist_input &given) {
    const dist_input<T> plain(tensor_of<T>(*given.tensor));
    return given.conjugated != 0 ? conj(plain) : plain;
}

/// The collective call.
template <class T>
any_dist_report contract_now(const char *expression, const tenfold_dist_input *inputs,
                             std::int32_t count, dist_tensor<T> &d, tenfold::dist_options options) {
    if (count > 2) {
        std::vector<dist_input<T>> many;
        for (std::int32_t i = 0; i < count; ++i)
            many.push_back(dist_input_of<T>(inputs[i]));
        return tenfold::contract<T>(expression, std::span(std::as_const(many)), d, options);
    }
    options.conj_a = inputs[0].conjugated != 0;
    if (count == 1)
        return tenfold::contract(expression, tensor_of<T>(*inputs[0].tensor), d, options);
    options.conj_b = inputs[1].conjugated != 0;
    return tenfold::contract(expression, tensor_of<T>(*inputs[0].tensor),
                             tensor_of<T>(*inputs[1].tensor), d, options);
}

/// What a caller passed.
struct contraction_call {
    const char *expression;
    const tenfold_dist_input *inputs;
    std::int32_t input_count;
    tenfold_dist_tensor *d;
    const tenfold_dist_options *options;
};

/// Contracts, and hands what was done to `take`, which must not throw. `check` finds out before
/// whether that can be, and throws if not.
template <class Check, class Take> tenfold_error
contract_and(const contraction_call &given, const Check &check, const Take &take) noexcept {
    return guarded([&] {
        require(given.d, "d");
        const auto prepare = [&] {
            require(given.expression, "expression");
            if (given.input_count < 1)
                refuse("input_count is " + std::to_string(given.input_count) + "; it is 1 or more");
            require(given.inputs, "inputs");
            check_types(given.inputs, given.input_count, *given.d);
            prepared_contraction own;
            own.given = taken(given.options, "options");
            own.control = std::make_shared<const taken_control>(own.given.control);
            own.options = dist_options_of(own.given, *own.control);
            check(own);
            return own;
        };
        collective(world_of(*given.d), prepare, [&](const prepared_contraction &own) {
            take(with_tensor(*given.d, [&](auto &output) {
                return contract_now(given.expression, given.inputs, given.input_count, output,
                                    own.options);
            }));
        });
    });
}

const any_dist_report &done_by(const tenfold_dist_record *record) {
    require(record, "record");
    return *record->done;
}

} // namespace

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
