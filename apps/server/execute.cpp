#include "apps/server/execute.hpp"

#include <tenfold/dist_operations.hpp>

#include "apps/server/bulk_desk.hpp"
#include "apps/server/fields.hpp"
#include "base/with_type.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

template <class T> T value_as(scalar value) {
    if constexpr (is_complex(data_type_of<T>))
        return T(static_cast<typename T::value_type>(value.real()),
                 static_cast<typename T::value_type>(value.imag()));
    else
        return static_cast<T>(value.real());
}

template <class T> void create(const execution &now) {
    dist_tensor<T> tensor(now.where, now.extents());
    const json &fill = now.work.at("fill");
    const std::string kind = fill.at("kind");
    if (kind == "value") {
        const scalar value = scalar_of(fill.at("value"));
        if (value != scalar(0))
            tensor.fill(value_as<T>(value));
    } else {
        const auto seed = fill.at("seed").get<std::uint64_t>();
        const double first = fill.at("first"), second = fill.at("second");
        if (kind == "uniform")
            fill_uniform(tensor, seed, first, second);
        else
            fill_normal(tensor, seed, first, second);
    }
    now.store.keep(now.output(), std::move(tensor));
}

template <class T> json contract_tensors(const execution &now) {
    const json &work = now.work;
    dist_tensor<T> output(now.where, now.extents());
    if (work.contains("base"))
        copy(now.store.get<T>(work.at("base")), output);
    std::vector<dist_input<T>> inputs;
    for (const json &conjugated : work.at("conj")) { // "inputs" ends with the base, if there is one
        const dist_input<T> one(now.store.get<T>(now.input(inputs.size())));
        inputs.push_back(conjugated.get<bool>() ? conj(one) : one);
    }
    dist_options options;
    options.alpha = scalar_of(work.at("alpha"));
    if (work.contains("beta"))
        options.beta = scalar_of(work.at("beta"));
    options.diagonal_output = work.at("diagonal_output");
    options.reproducible = work.at("reproducible").get<bool>();
    options.algorithm = *parse_algorithm(work.at("algorithm").get<std::string>());
    if (work.contains("memory_per_rank"))
        options.memory_per_rank = byte_count{work.at("memory_per_rank").get<index_t>()};
    options.control = &now.control;
    const dist_sequence_report report =
        contract<T>(work.at("expression").get<std::string>(), inputs, output, options);
    now.store.keep(now.output(), std::move(output));
    return {{"seconds", report.seconds_max},
            {"flops", report.plan.summary().flops},
            {"bytes_received", report.bytes_received_max.value},
            {"redistribution", report.redistribution_max.value},
            {"peak_bytes_per_rank", report.peak_bytes_max.value}};
}

} // namespace

data_type execution::type(const char *name) const {
    const auto type = parse_data_type(work.at(name).get<std::string>());
    if (!type)
        throw std::logic_error("a command names a type that is not there");
    return *type;
}

void execution::check_stop() const {
    agree(where, [&] {
        if (control.stop.stop_requested())
            throw error(errc::stopped, "the job was cancelled");
    });
}

json execute_create(const execution &now) {
    base::with_arithmetic_type(now.type("type"), [&]<class T>(T) { create<T>(now); });
    return json::object();
}

json execute_contract(const execution &now) {
    return base::with_arithmetic_type(now.type("type"),
                                      [&]<class T>(T) { return contract_tensors<T>(now); });
}

namespace {

/// What a command may ask for: the field "do" of its work.
constexpr struct {
    std::string_view name;
    json (*execute)(const execution &now);
} kinds_of_work[] = {
    {"commit", execute_commit},     {"contract", execute_contract},   {"create", execute_create},
    {"describe", execute_describe}, {"download", execute_download},   {"export", execute_export},
    {"import", execute_import},     {"load", execute_load},           {"map", execute_map},
    {"open", execute_open},         {"overwrite", execute_overwrite}, {"program", execute_program},
    {"reduce", execute_reduce},     {"save", execute_save},           {"upload", execute_upload},
};

json execute_by_kind(const execution &now) {
    const std::string what = now.work.at("do");
    for (const auto &kind : kinds_of_work)
        if (kind.name == what)
            return kind.execute(now);
    throw std::logic_error("a command asks for work that is not there");
}

/// Errors of collective calls are thrown on all ranks. Any other exception may be this rank's
/// alone: then the others have it from their next collective call, or from the last one, here.
json on_all_ranks(const execution &now) {
    static const error no_memory(errc::out_of_memory, "a rank has no memory left");
    std::optional<error> alone;
    json result;
    try {
        result = execute_by_kind(now);
    } catch (const error &) {
        throw;
    } catch (const std::bad_alloc &) {
        alone = no_memory;
    } catch (const std::exception &problem) {
        alone.emplace(errc::disagreement, std::string("a rank failed: ") + problem.what());
    }
    agree(now.where, alone);
    return result;
}

} // namespace

json execute(const world &where, tensor_store &store, const json &work, const bodies &root,
             const execution_control &control) {
    const execution now{where, store, work, root, control};
    try {
        return on_all_ranks(now);
    } catch (const error &) {
        if (root.desk != nullptr && work.contains("transfer"))
            root.desk->close(work.at("transfer")); // before its memory is freed
        const auto output = work.find("output");
        if (output != work.end() && output->is_number_unsigned() && !now.is_in_place())
            store.drop(*output);
        for (const json &one : work.value("outputs", json::array())) // of a program
            store.drop(one.at("id"));
        throw;
    }
}

} // namespace tenfold::server
