// Contractions of distributed tensors.
#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "capi/structs.hpp"
#include "distributed/capi/collective.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::data_type;
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
    for (std::int32_t i = 0; i < count; ++i) {
        const std::string text = input_name(i, count).text();
        require(inputs[i].tensor, text.c_str());
        const data_type type = type_of(*inputs[i].tensor);
        if (type != type_of(d))
            throw tenfold::error(tenfold::errc::type_mismatch,
                                 text + " is " + std::string(name(type)) + ", D is " +
                                     std::string(name(type_of(d))),
                                 {.first = {.name = text, .type = type},
                                  .second = {.name = "D", .type = type_of(d)}});
    }
}

tenfold_dist_report report_of(const tenfold::dist_report &done) {
    return {.size = 0,
            .step_count = 1,
            .bytes_received_max = done.bytes_received_max.value,
            .redistribution_max = done.redistribution_max.value,
            .peak_bytes_max = done.peak_bytes_max.value,
            .seconds_max = done.seconds_max};
}

tenfold_dist_report report_of(const tenfold::dist_sequence_report &done) {
    return {.size = 0,
            .step_count = static_cast<std::int32_t>(done.steps.size()),
            .bytes_received_max = done.bytes_received_max.value,
            .redistribution_max = done.redistribution_max.value,
            .peak_bytes_max = done.peak_bytes_max.value,
            .seconds_max = done.seconds_max};
}

template <class T> dist_input<T> dist_input_of(const tenfold_dist_input &given) {
    const dist_input<T> plain(tensor_of<T>(*given.tensor));
    return given.conjugated != 0 ? conj(plain) : plain;
}

/// The collective call.
template <class T> tenfold_dist_report contract_now(const char *expression,
                                                    const tenfold_dist_input *inputs,
                                                    std::int32_t count, dist_tensor<T> &d,
                                                    tenfold::dist_options options) {
    if (count > 2) {
        std::vector<dist_input<T>> many;
        for (std::int32_t i = 0; i < count; ++i)
            many.push_back(dist_input_of<T>(inputs[i]));
        return report_of(
            tenfold::contract<T>(expression, std::span(std::as_const(many)), d, options));
    }
    options.conj_a = inputs[0].conjugated != 0;
    if (count == 1)
        return report_of(
            tenfold::contract(expression, tensor_of<T>(*inputs[0].tensor), d, options));
    options.conj_b = inputs[1].conjugated != 0;
    return report_of(tenfold::contract(expression, tensor_of<T>(*inputs[0].tensor),
                                       tensor_of<T>(*inputs[1].tensor), d, options));
}

} // namespace

tenfold_error tenfold_dist_contract(const char *expression, const tenfold_dist_input *inputs,
                                    int32_t input_count, tenfold_dist_tensor *d,
                                    const tenfold_dist_options *options,
                                    tenfold_dist_report *report) {
    return guarded([&] {
        require(d, "d");
        const auto prepare = [&] {
            require(expression, "expression");
            if (input_count < 1)
                refuse("input_count is " + std::to_string(input_count) + "; it is 1 or more");
            require(inputs, "inputs");
            check_types(inputs, input_count, *d);
            if (report != nullptr)
                require_size(*report, "report");
            prepared_contraction own;
            own.given = taken(options, "options");
            own.control = std::make_shared<const taken_control>(own.given.control);
            own.options = dist_options_of(own.given, *own.control);
            return own;
        };
        collective(world_of(*d), prepare, [&](const prepared_contraction &own) {
            const tenfold_dist_report done = with_tensor(*d, [&](auto &output) {
                return contract_now(expression, inputs, input_count, output, own.options);
            });
            if (report != nullptr)
                give(done, report, "report");
        });
    });
}
