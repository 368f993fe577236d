// tenfold transpose
#include <algorithm>
#include <cstdio>
#include <cstring>

#include <nlohmann/json.hpp>

#include <tenfold/transpose.hpp>

#include "apps/ceilings.hpp"
#include "apps/generate.hpp"
#include "apps/launcher.hpp"
#include "apps/program.hpp"
#include "apps/progress.hpp"
#include "apps/text.hpp"
#include "apps/timing.hpp"
#include "array_file.hpp"
#include "commands.hpp"
#include "contract/reference.hpp"
#include "contraction_request.hpp"

namespace tenfold::apps_impl {
namespace {

constexpr index_t verified_elements = 1000;

struct transpose_request {
    contraction_request operands; ///< A is the input, `out` the output
    tenfold::tuning tuning = tuning::estimate;
    run_options run;
    bool explain = false;
};

/// Mode k of B is mode permutation[k] of A.
std::vector<int> permutation_of(const contraction_spec &spec) {
    if (spec.inputs.size() != 1)
        throw usage_error("'" + spec.text + "': a transposition has one input");
    const std::vector<label_t> &from = spec.inputs[0];
    std::vector<int> permutation;
    for (const label_t label : spec.output) {
        const auto found = std::find(from.begin(), from.end(), label);
        permutation.push_back(static_cast<int>(found - from.begin()));
    }
    const bool repeated = spec.label_names.size() != from.size() ||
                          spec.output.size() != from.size() ||
                          !std::is_permutation(from.begin(), from.end(), spec.output.begin());
    if (repeated)
        throw usage_error("'" + spec.text +
                          "': output and input must have the same labels, each once; 'tenfold "
                          "contract' takes sums and diagonals");
    return permutation;
}

/// What beta multiplies; nothing when it is 0.
std::optional<host_array> load_previous(const transpose_request &request,
                                        const resolved_contraction &resolved, int threads) {
    if (!resolved.reads_c())
        return std::nullopt;
    if (request.operands.from_files())
        return read_array(request.operands.out_file, resolved.type);
    return generated_array(resolved.type, 1, resolved.d.extents(), threads);
}

/// `previous`, or NaN everywhere: an element that is never written cannot pass for a result.
void reset(host_array &b, const std::optional<host_array> &previous) {
    const auto size = static_cast<std::size_t>(b.size().value);
    if (previous)
        std::memcpy(b.data(), previous->data(), size);
    else
        std::memset(b.data(), 0xff, size);
}

struct transpose_result {
    double seconds_min = 0;
    double gbps = 0;
    double of_ceiling = 0;
    std::optional<contract_impl::verification> verified;
};

/// What is known without running: all of the object that --explain --json prints.
nlohmann::ordered_json describe_plan(const transpose_request &request,
                                     const resolved_contraction &resolved,
                                     const transpose_plan &plan, int threads) {
    nlohmann::ordered_json extents = nlohmann::ordered_json::object();
    for (const auto &[label, extent] : resolved.extents)
        extents[label] = extent;
    return {{"spec", request.operands.spec},
            {"extents", extents},
            {"type", name(resolved.type)},
            {"threads", threads},
            {"bytes", plan.traffic(resolved.reads_c()).value},
            {"predicted_seconds", plan.predicted_seconds()},
            {"explanation", plan.explain()}};
}

void print(const transpose_request &request, const resolved_contraction &resolved,
           const transpose_plan &plan, int threads, const transpose_result &result) {
    if (request.run.json) {
        nlohmann::ordered_json json = describe_plan(request, resolved, plan, threads);
        json["seconds_min"] = result.seconds_min;
        json["gbps"] = result.gbps;
        json["of_ceiling"] = result.of_ceiling;
        json["max_relative_error"] = nullptr;
        if (result.verified)
            json["max_relative_error"] = std::min(result.verified->max_relative_error, 1e308);
        std::printf("%s\n", json.dump().c_str());
        return;
    }
    std::fputs(plan.explain().c_str(), stdout);
    std::printf("  took %s with %d %s: %.4g GB/s, %.2f of the ceiling\n",
                describe_seconds(result.seconds_min).c_str(), threads,
                threads == 1 ? "thread" : "threads", result.gbps, result.of_ceiling);
    if (result.verified)
        std::printf("  verification %s: %lld elements, largest relative error %.3g\n",
                    result.verified->passed() ? "passed" : "FAILED",
                    static_cast<long long>(result.verified->elements),
                    result.verified->max_relative_error);
    if (!request.operands.out_file.empty())
        std::printf("  wrote %s\n", request.operands.out_file.c_str());
}

int run(const transpose_request &request) {
    contraction_request operands = request.operands;
    if (operands.from_files()) {
        if (operands.out_file.empty() && !request.explain)
            throw usage_error("--out is missing");
        // B is the file that is written: with beta it is read first.
        if (operands.problem.beta.value_or(0.0) != 0.0 ||
            operands.spec.find("+=") != std::string::npos ||
            operands.spec.find("-=") != std::string::npos)
            operands.c_file = operands.out_file;
    }
    resolved_contraction resolved = resolve(operands, half_precision::widened);
    if (!operands.c_file.empty())
        resolved.d = resolved.c;
    const std::vector<int> permutation = permutation_of(resolved.spec);
    const scalar alpha =
        (resolved.spec.operation == contraction_spec::update::subtract ? -1.0 : 1.0) *
        resolved.spec.scale * resolved.alpha;
    const int threads =
        operands.execution.threads > 0 ? operands.execution.threads : context::global().threads();
    const transpose_options options{
        .alpha = alpha, .beta = resolved.beta, .tuning = request.tuning, .threads = threads};
    const transpose_plan plan(permutation, resolved.type, resolved.inputs[0], resolved.type,
                              resolved.d, false, options);
    if (request.explain) {
        const std::string text = request.run.json
                                     ? describe_plan(request, resolved, plan, threads).dump() + "\n"
                                     : plan.explain();
        std::fputs(text.c_str(), stdout);
        return exit_success;
    }

    if (!operands.out_file.empty())
        check_array_writable(operands.out_file);
    const host_array a =
        operands.from_files()
            ? read_array(operands.a_file, resolved.type)
            : generated_array(resolved.type, 0, resolved.inputs[0].extents(), threads);
    const std::optional<host_array> previous = load_previous(request, resolved, threads);
    host_array b(resolved.type, resolved.d);

    std::vector<double> seconds;
    progress line("tenfold transpose: run");
    for (int repeat = 0; repeat < request.run.repeat; ++repeat) {
        line.show(repeat, request.run.repeat);
        reset(b, previous);
        const stopwatch watch;
        plan.execute(alpha, a.data(), resolved.beta, b.data(), line.watch(plan.predicted_seconds()))
            .throw_if_failed();
        seconds.push_back(watch.seconds());
    }
    line.clear();

    transpose_result result;
    result.seconds_min = minimum(seconds);
    const auto traffic = static_cast<double>(plan.traffic(resolved.reads_c()).value);
    result.gbps = traffic / result.seconds_min * 1e-9;
    result.of_ceiling =
        result.gbps / quick_stream_gbps(resolved.reads_c() ? stream::saxpy : stream::copy,
                                        resolved.type, context::global().isa(), threads, a.size());
    if (request.run.verify) {
        const std::vector<input> inputs = {a};
        const output d(b);
        const auto problem = einsum_impl::make_problem(resolved.spec, inputs, d, d, false);
        result.verified = contract_impl::verify(problem, alpha, a.data(), nullptr, resolved.beta,
                                                previous ? previous->data() : nullptr, b.data(),
                                                verified_elements, /*seed=*/1);
    }
    if (!operands.out_file.empty())
        write_array(operands.out_file, b);
    print(request, resolved, plan, threads, result);
    if (result.verified && !result.verified->passed())
        throw failure(format("verification failed: the largest relative error is %.3g",
                             result.verified->max_relative_error));
    return exit_success;
}

} // namespace

int transpose_command(const std::vector<std::string> &arguments) {
    transpose_request request;
    command_line line("tenfold transpose",
                      "SPEC (--extents a=48,b=36,... | --a A.npy --out B.npy) [options]",
                      "Computes B = alpha permuted(A) + beta B, for instance \"ba=ab\". With "
                      "files and beta, the\nfile named by --out is read before it is written.");
    line.set_positional("SPEC", &request.operands.spec);
    add_problem_options(line.group("Problem"), request.operands.problem);
    auto &files = line.group(
        "Files (.npy, FILE.h5:DATASET, or - for one .npy file from a pipe; label i of an "
        "operand is axis i of its array)");
    add_value(files, "a", "A.npy", &request.operands.a_file, parse_text, "the input");
    add_value(files, "out", "B.npy", &request.operands.out_file, parse_text,
              "where the output goes");
    auto &execution = line.group("Execution");
    add_threads_option(execution, request.operands.execution.threads);
    add_tuning_option(execution, request.tuning);
    auto &output_group = line.group("Output");
    add_flag(output_group, "explain", &request.explain,
             "show how the transposition would run, without running it");
    add_run_options(output_group, request.run);
    if (!line.parse(arguments))
        return exit_success;
    if (launched_ranks() > 1)
        throw usage_error("transpose runs on one process only");
    return run(request);
}

} // namespace tenfold::apps_impl
