#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "apps/common/ceilings.hpp"
#include "apps/common/text.hpp"
#include "apps/tenfold/contraction_result.hpp"

namespace tenfold::apps_impl {

std::string contraction_result::check::complaint() const {
    if (is_number())
        return format("the largest relative error is %.3g, rounding explains %.3g",
                      max_relative_error, bound);
    return format("%lld of %lld elements are NaN, in plain loops as well, and a NaN cannot be "
                  "verified: ",
                  static_cast<long long>(not_numbers), static_cast<long long>(elements)) +
           nan_source;
}

void add_verification(nlohmann::ordered_json &json,
                      const std::optional<contraction_result::check> &found) {
    json["max_relative_error"] = nullptr;
    if (!found)
        return;
    // JSON has no infinity, so that 1e308 stands for an infinite error, also where D is NaN but
    // should not be.
    const double error = found->max_relative_error;
    if (found->is_number())
        json["max_relative_error"] = std::isfinite(error) ? error : 1e308;
    json["verified"] = found->passed();
    json["verified_elements"] = found->elements;
    json["error_bound"] = found->bound;
    if (!found->passed())
        json["verification_failure"] = found->complaint();
}

std::string describe(const contraction_result::check &found) {
    if (!found.is_number())
        return "  verification FAILED: " + found.complaint() + "\n";
    return format("  verification %s: %lld elements, largest relative error %.3g, %.3g is "
                  "rounding\n",
                  found.passed() ? "passed" : "FAILED", static_cast<long long>(found.elements),
                  found.max_relative_error, found.bound);
}

const char *remark_on(bool first_call) {
    return first_call ? "; of a first call, which nothing warmed up (--repeat 2 tells another)"
                      : "";
}

std::string to_json(const contraction_request &request, const contraction_result &result) {
    const resolved_contraction &resolved = result.resolved;
    nlohmann::ordered_json extents = nlohmann::ordered_json::object();
    for (const auto &[label, extent] : resolved.extents)
        extents[label] = extent;
    nlohmann::ordered_json json = {
        {"spec", request.spec},
        {"extents", extents},
        {"type", resolved.types.names_of_inputs()},
        {"output_type", name(resolved.types.output)},
        {"ranks", result.ranks},
        {"threads", result.threads},
        {"algorithm", name(result.algorithm)},
        {"seconds_min", result.seconds_min},
        {"first_call", result.first_call},
        {"gflops", result.flops / result.seconds_min * 1e-9},
        {"predicted_seconds", nullptr},
        {"workspace_bytes", result.workspace.value},
        {"bytes_received_max", result.bytes_received_max.value},
        {"redistribution_bytes_max", result.redistribution_max.value},
        {"peak_bytes_per_rank", result.peak_bytes_per_rank.value},
    };
    if (result.predicted_seconds)
        json["predicted_seconds"] = *result.predicted_seconds;
    add_verification(json, result.verified);
    return json.dump() + "\n";
}

contraction_result::ceiling measure_ceiling(data_type type, int threads, double bytes) {
    const isa set = context::global().isa();
    return {is_integer(type) ? integer_peak_gflops(context::global(), threads, 0.1)
                             : fma_peak_gflops(type, set, threads, 0.1),
            quick_stream_gbps(stream::copy, type, set, threads,
                              tenfold::bytes(static_cast<index_t>(bytes / 2)))};
}

std::string to_text(const contraction_request &request, const contraction_result &result) {
    std::string text = result.explanation;
    text += format("  took %s on %d %s with %d %s", describe_seconds(result.seconds_min).c_str(),
                   result.ranks, result.ranks == 1 ? "process" : "ranks", result.threads,
                   result.threads == 1 ? "thread" : "threads");
    if (result.predicted_seconds)
        text += format(", %.2f x the predicted %s", result.seconds_min / *result.predicted_seconds,
                       describe_seconds(*result.predicted_seconds).c_str());
    text += remark_on(result.first_call) + std::string("\n");

    text += format("  %.4g GFLOP/s", result.flops / result.seconds_min * 1e-9);
    if (result.machine && result.flops > 0 && result.machine->fma_gflops > 0) {
        const auto [peak, copy] = *result.machine;
        const double roofline = std::max(result.flops / peak, result.bytes / copy) * 1e-9;
        text += format(", %.2f of the ceiling (FMA peak %.4g GFLOP/s, copy %.3g GB/s)",
                       roofline / result.seconds_min, peak, copy);
    }
    text += "\n";
    if (result.ranks > 1)
        text += format("  received at most %lld bytes, held at most %lld bytes per rank\n",
                       static_cast<long long>(result.bytes_received_max.value),
                       static_cast<long long>(result.peak_bytes_per_rank.value));
    if (result.verified)
        text += describe(*result.verified);
    if (!request.out_file.empty())
        text += "  wrote " + request.out_file + "\n";
    return text;
}

} // namespace tenfold::apps_impl
