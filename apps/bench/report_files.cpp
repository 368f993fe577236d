#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include <nlohmann/json.hpp>

#include <tenfold/error.hpp>

#include "apps/bench/report.hpp"

namespace tenfold::apps_impl {
namespace {

using json = nlohmann::ordered_json;

/// JSON has no infinity and no NaN, so that they become null.
json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

/// An unknown peak is 0 here and null in JSON.
json measured(double value) { return value > 0 ? number(value) : json(nullptr); }

json rate(double amount, double seconds) {
    return amount > 0 ? number(amount / seconds * 1e-9) : json(nullptr);
}

json extents_by_label(const bench_case &one) {
    json object = json::object();
    for (std::size_t label = 0; label < one.extents.size(); ++label)
        object[one.spec.label_names[label]] = one.extents[label];
    return object;
}

json case_object(const bench_options &options, const case_result &one) {
    json peers = json::object();
    for (const peer_result &peer : one.peers)
        peers[peer.name] = {{"seconds_min", peer.seconds.min},
                            {"seconds_median", peer.seconds.median},
                            {"ratio", peer.ratio}};
    json object = {{"suite", options.suite},
                   {"case", one.definition.name},
                   {"spec", one.definition.text},
                   {"type", options.type_name()},
                   {"threads", options.threads},
                   {"beta", options.beta},
                   {"seconds_min", one.seconds.min},
                   {"seconds_median", one.seconds.median},
                   {"gflops", rate(one.flops, one.seconds.min)},
                   {"gbps", rate(one.bytes, one.seconds.min)},
                   {"of_ceiling", number(one.of_ceiling())},
                   {"algorithm", one.algorithm},
                   {"max_relative_error", nullptr},
                   {"peers", peers},
                   {"ranks", one.ranks},
                   {"fma_peak_gflops", number(one.fma_peak_gflops)},
                   {"copy_gbps", number(one.copy_gbps)},
                   {"memcpy_gbps", number(one.memcpy_gbps)}};
    const auto further = [&](const char *bandwidth, const char *fraction, double gbps) {
        object[bandwidth] = measured(gbps);
        object[fraction] = number(one.of_roofline(gbps));
    };
    further("cache_gbps", "of_cache_ceiling", one.cache_gbps);
    further("read_gbps", "of_read_ceiling", one.read_gbps);
    further("write_gbps", "of_write_ceiling", one.write_gbps);
    object["predicted_seconds"] = one.predicted_seconds ? json(*one.predicted_seconds) : nullptr;
    if (one.one_thread) {
        object["one_thread_seconds_min"] = one.one_thread->min;
        object["one_thread_seconds_median"] = one.one_thread->median;
        object["parallel_efficiency"] = one.parallel_efficiency(options.threads);
    }
    if (one.one_shot) {
        object["one_shot_seconds_min"] = one.one_shot->min;
        object["one_shot_seconds_median"] = one.one_shot->median;
    }
    if (options.choice) {
        object["algorithms"] = json::object();
        for (const forced_result &forced : one.forced)
            object["algorithms"][std::string(name(forced.algorithm))] = {
                {"seconds_min", forced.seconds.min},
                {"seconds_median", forced.seconds.median},
                {"predicted_seconds", forced.predicted_seconds}};
        object["choice_factor"] = one.forced.empty() ? json(nullptr) : json(one.choice_factor());
    }
    if (options.ttc.portability)
        object["isa"] = one.isa;
    if (options.suite == "ttc") {
        object["permutation"] = one.definition.permutation();
        object["extents"] = one.definition.extents;
        object["plan_seconds"] = one.plan_seconds;
    }
    if (options.has_contractions())
        object["extents"] = extents_by_label(one.definition);
    if (one.across_ranks) {
        object["bytes_received_max"] = one.across_ranks->received;
        object["redistribution_bytes_max"] = one.across_ranks->redistributed;
        object["peak_bytes_max"] = one.across_ranks->peak;
    }
    if (one.distributed)
        object.update(distributed_object(*one.distributed));
    if (one.saxpy_gbps > 0)
        object["saxpy_gbps"] = one.saxpy_gbps;
    if (one.max_relative_error) // an infinite error, for instance from NaN, stays a number
        object["max_relative_error"] = std::min(*one.max_relative_error, 1e308);
    return object;
}

json portability_object(const portability_table &table) {
    json isas = json::array();
    json geomeans = json::object();
    for (std::size_t i = 0; i < table.isas.size(); ++i) {
        const std::string isa(name(table.isas[i]));
        isas.push_back(isa);
        geomeans[isa] = table.geomean(i);
    }
    json cases = json::array();
    for (const portability_table::row &one : table.cases)
        cases.push_back({{"case", one.name},
                         {"efficiencies", one.efficiencies},
                         {"performance_portability", one.portability()}});
    return {{"isas", isas},
            {"geomean_of_ceiling", geomeans},
            {"mean", table.mean()},
            {"worst", table.worst().portability()},
            {"worst_case", table.worst().name},
            {"cases", cases}};
}

json machine_object(const bench_options &options, const machine_result &machine) {
    json object = {{"cpu", machine.cpu},
                   {"isa", machine.isa},
                   {"threads", machine.threads},
                   {"fma_peak_gflops", measured(machine.fma_peak_gflops)},
                   {"copy_gbps", number(machine.copy_gbps)},
                   {"memcpy_gbps", number(machine.memcpy_gbps)},
                   {"ranks", machine.ranks},
                   {"flushed", options.flush},
                   {"repeat", options.repeat}};
    if (machine.in_huge_pages)
        object["in_huge_pages"] = *machine.in_huge_pages;
    if (options.suite == "ttc") {
        object["offset"] = options.ttc.where.offset;
        object["pages"] = name(options.ttc.where.pages);
        object["tuning"] = name(options.ttc.tuning);
    }
    if (options.random)
        object["random_seed"] = options.random->seed;
    return object;
}

json peer_object(const peer_summary &peer) {
    return {{"geomean_ratio", peer.geomean_ratio},
            {"worst_ratio", peer.worst_ratio},
            {"worst_case", peer.worst_case},
            {"cases_far_behind", peer.cases_far_behind},
            {"far_behind", peer_summary::far_behind}};
}

json prediction_object(const prediction_summary &found) {
    return {{"cases", found.cases},
            {"within_factor", prediction_summary::close},
            {"cases_within", found.close_cases},
            {"geomean_ratio", found.geomean_ratio}};
}

json choice_object(const choice_summary &found) {
    json predictions = json::object();
    for (const choice_summary::by_algorithm &one : found.algorithms)
        predictions[std::string(name(one.algorithm))] = prediction_object(one.predictions);
    return {{"cases", found.cases},
            {"within_factor", choice_summary::good},
            {"cases_within", found.good_cases},
            {"geomean_factor", found.geomean_factor},
            {"worst_factor", found.worst_factor},
            {"worst_case", found.worst_case},
            {"predictions", predictions}};
}

json one_shot_object(const bench_options &options, const one_shot_summary &found) {
    const std::vector<std::string> names = options.peer_names();
    json peers = json::object();
    for (std::size_t i = 0; i < found.peers.size(); ++i)
        peers[names[i]] = peer_object(found.peers[i]);
    return {{"geomean_factor", found.geomean_factor},
            {"worst_factor", found.worst_factor},
            {"worst_case", found.worst_case},
            {"peers", peers}};
}

json summary_object(const bench_options &options, const bench_report &report) {
    json peers = json::object();
    for (const peer_summary &peer : report.peer_summaries())
        peers[peer.name] = peer_object(peer);
    json object = {{"geomean_of_ceiling",
                    report.worst() != nullptr ? number(report.geomean_of_ceiling()) : nullptr},
                   {"peers", peers}};
    if (const double of_caches = report.geomean_of_cache_ceiling(); of_caches > 0)
        object["geomean_of_cache_ceiling"] = number(of_caches);
    if (const auto best = report.best_peer_summary())
        object["best_peer"] = peer_object(*best);
    if (options.random)
        object["cases_left_out"] = report.cases_left_out;
    if (const prediction_summary found = report.predictions(); found.cases > 0)
        object["predictions"] = prediction_object(found);
    if (const auto found = report.one_shots())
        object["one_shot"] = one_shot_object(options, *found);
    if (options.choice)
        object["choice"] = choice_object(summarise_choices(report.cases));
    if (options.efficiency)
        object["geomean_parallel_efficiency"] = number(report.geomean_of_efficiency());
    if (options.suite == "ttc") {
        object["plan_microseconds"] = report.median_plan_seconds() * 1e6;
        object["execute_overhead_ns"] = report.tiny_execute_seconds * 1e9;
    }
    return object;
}

std::ofstream create(const std::string &path) {
    std::ofstream file(path, std::ios::trunc);
    if (!file)
        throw error(errc::io, "'" + path + "' cannot be created: " + std::strerror(errno));
    return file;
}

void finish(std::ofstream &file, const std::string &path) {
    file.close();
    if (!file)
        throw error(errc::io, "'" + path + "' cannot be written: " + std::strerror(errno));
}

} // namespace

json report_object(const bench_options &options, const bench_report &report) {
    json cases = json::array();
    for (const case_result &one : report.cases)
        cases.push_back(case_object(options, one));
    json object = {{"machine", machine_object(options, report.machine)},
                   {"cases", cases},
                   {"summary", summary_object(options, report)}};
    if (report.portability)
        object["portability"] = portability_object(*report.portability);
    return object;
}

void write_json(const std::string &path, const bench_options &options, const bench_report &report) {
    std::ofstream file = create(path);
    file << report_object(options, report).dump(1) << '\n';
    finish(file, path);
}

void write_csv(const std::string &path, const bench_options &options, const bench_report &report) {
    // The columns are the fields of the JSON object. A peer's columns come last and begin with its
    // name.
    std::vector<const char *> columns = {"suite",
                                         "case",
                                         "spec",
                                         "type",
                                         "threads",
                                         "beta",
                                         "seconds_min",
                                         "seconds_median",
                                         "gflops",
                                         "gbps",
                                         "of_ceiling",
                                         "algorithm",
                                         "max_relative_error"};
    if (options.ttc.portability)
        columns.push_back("isa");
    if (options.efficiency)
        for (const char *column :
             {"one_thread_seconds_min", "one_thread_seconds_median", "parallel_efficiency"})
            columns.push_back(column);
    std::ofstream file = create(path);
    const char *separator = "";
    for (const char *column : columns) {
        file << separator << column;
        separator = ",";
    }
    for (const std::string &peer : options.peer_names())
        file << ',' << peer << "_seconds_min," << peer << "_seconds_median," << peer << "_ratio";
    file << '\n';

    for (const case_result &one : report.cases) {
        const json object = case_object(options, one);
        separator = "";
        for (const char *column : columns) {
            const json &value = object[column];
            file << separator;
            if (value.is_string()) // expressions with brackets contain commas
                file << '"' << value.get<std::string>() << '"';
            else if (!value.is_null())
                file << value.dump();
            separator = ",";
        }
        for (const peer_result &peer : one.peers)
            file << ',' << json(peer.seconds.min) << ',' << json(peer.seconds.median) << ','
                 << json(peer.ratio);
        file << '\n';
    }
    finish(file, path);
}

} // namespace tenfold::apps_impl
